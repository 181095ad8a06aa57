package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLabelsThatAreRefused: the error about a label that was read and cannot be used names its place in the
// file, the column of a table, the label, and what to do.
func TestLabelsThatAreRefused(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt"}, fewRows...)...)
	lines := strings.SplitAfter(readFile(t, dir, "train.txt"), "\n")
	lines[29] = "40" + lines[29][1:]
	bad := strings.Join(lines, "")
	head := "label,qid,1,2\n"
	table := []string{head}
	for row := range 60 {
		table = append(table, strconv.Itoa(row%3)+","+strconv.Itoa(row/10)+",1,"+strconv.Itoa(row%7)+"\n")
	}
	table[31] = "40,3,1,2\n"
	writeFile(t, dir, "bad.txt", bad)
	writeFile(t, dir, "lines.txt", "# comment\n\n"+bad)
	writeFile(t, dir, "indented.txt", strings.Replace(bad, "\n40", "\n 40", 1))
	writeFile(t, dir, "bad.csv", strings.Join(table, ""))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "parts"), 0o777))
	writeFile(t, dir, "parts/a.csv", strings.Join(table[:21], ""))
	writeFile(t, dir, "parts/b.csv", head+strings.Join(table[21:], ""))
	zipped, err := os.Create(filepath.Join(dir, "bad.txt.gz"))
	require.NoError(t, err)
	w := gzip.NewWriter(zipped)
	_, err = w.Write([]byte(bad))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	succeed(t, dir, "transform", "data=bad.csv", "output=bad.parquet", "query_context=rank")
	writeFile(t, dir, "bad.qrels", "1 0 a 0\n1 0 b 40\n")
	writeFile(t, dir, "one.run", "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
	writeFile(t, dir, "scores.csv", "query,target,score\n1,0,2\n1,40,1\n")
	for command, want := range map[string]string{
		"train data=bad.txt":                                      `bad.txt:30:1: "40": 2^label - 1 is for`,
		"train data=bad.txt objective=rank_xendcg":                `bad.txt:30:1: "40": 2^label`,
		"train data=bad.txt objective=binary":                     `bad.txt:5:1: "2": objective=binary is for`,
		"train data=lines.txt":                                    `lines.txt:32:1: "40": 2^label - 1 is for`,
		"train data=indented.txt":                                 `indented.txt:30:2: "40": 2^label - 1 is for`,
		"train data=bad.txt.gz":                                   `bad.txt.gz:30:1: "40": 2^label - 1 is for`,
		"train data=bad.csv":                                      `bad.csv:32: column "label": "40": 2^label`,
		"train data=parts":                                        `parts/b.csv:12: column "label": "40": 2^label`,
		"train data=bad.parquet":                                  `bad.parquet: row 31: column "label": "40": 2^`,
		"train data=train.txt valid=bad.txt":                      `valid_1: bad.txt:30:1: "40": by the conv`,
		"cv folds=2 data=bad.txt":                                 `bad.txt:30:1: "40": by the convention default`,
		"eval data=bad.txt input_model=model.txt":                 `bad.txt:30:1: "40": by the convention default`,
		"compare data=bad.txt model.txt model.txt":                `bad.txt:30:1: "40": by the convention default`,
		"refit data=bad.txt output_model=x input_model=model.txt": `bad.txt:30:1: "40": 2^label`,
		"explain data=bad.txt input_model=model.txt":              `bad.txt:30:1: "40": the grade has no gain`,
		"eval qrels=bad.qrels run=one.run":                        "bad.qrels: label 40 of query 1, by",
		"eval data=scores.csv":                                    "scores.csv: label 40 of query 1, by",
	} {
		got := execute(t, dir, append(strings.Fields(command), "verbosity=-1")...)
		assert.Equal(t, 1, got.status, command)
		assert.Contains(t, got.stderr, want, command)
	}
}
