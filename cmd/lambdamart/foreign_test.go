package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDumpsOfXGBoostMayLackWeights: XGBoost's dump lacks the tree weights of dart and does not tell whether
// the
// model is dart, so reading one prints a warning.
func TestDumpsOfXGBoostMayLackWeights(t *testing.T) {
	dir := folderWithData(t)
	content, err := os.ReadFile(filepath.Join("../../io/model/internal/xgboost/testdata", "1.7.6-dart.dump1"))
	require.NoError(t, err)
	writeFile(t, dir, "dump.json", strings.ReplaceAll(string(content), `"f0"`, `"f4"`)) // LETOR: from 1
	for _, line := range []string{
		"predict data=train.txt input_model=dump.json output_result=-",
		"eval data=train.txt input_model=dump.json",
		"compare data=train.txt input_model=dump.json,dump.json",
		"model dump.json",
		"model dump.json join=dump.json output=joined.txt",
		"export dump.json to=lightgbm output=m.txt",
		"explain data=train.txt input_model=dump.json",
		"refit data=train.txt input_model=dump.json output_model=n.txt",
	} {
		got := execute(t, dir, strings.Fields(line)...)
		assert.Contains(t, got.stderr, "dump.json: a dump of XGBoost does not tell whether it is of dart", line)
	}
	c := command(t, dir, "serve", "dump.json", "address=127.0.0.1:0")
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer c.Process.Kill()
	first, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, first, "does not tell whether it is of dart")
}
