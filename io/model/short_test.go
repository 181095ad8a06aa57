package model_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
)

// Models are read alike however few bytes come at once.
func TestShortReads(t *testing.T) {
	e := treetest.Model{Trees: 3, Leaves: 5, Features: 3, Float32: true}.Make(rand.New(rand.NewPCG(1, 2)))
	for _, target := range model.Targets() {
		if !target.IsRead {
			continue
		}
		x, err := model.Export(e, target.Name, model.Options{Settings: settingsOf(target)})
		require.NoError(t, err)
		want, format, err := model.Read(bytes.NewReader(x.Content))
		require.NoError(t, err)
		for name, pieces := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "the end with the last bytes": iotest.DataErrReader,
		} {
			got, again, err := model.Read(pieces(bytes.NewReader(x.Content)))
			require.NoError(t, err, "%s, %s", target.Name, name)
			assert.Equal(t, format, again)
			assert.Equal(t, want, got, "%s, %s", target.Name, name)
		}
	}
}
