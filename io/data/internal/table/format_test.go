package table

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/test/aid"
)

func TestIsTablePath(t *testing.T) {
	whole, err := os.ReadFile("../table/testdata/snappy.parquet")
	require.NoError(t, err)
	for path, want := range map[string]bool{
		"a.csv": true, "b/c.TSV.gz": true, "x.tab.zst": true, "x.parquet": true, "../table/testdata/parts": true,
		"absent.txt":                 false,
		"../table/testdata/rows.csv": true, "../table/testdata/generate.py": false, aid.File(t, "x", whole): true,
		aid.File(t, "y", ""): false, "-": false,
	} {
		assert.Equal(t, want, IsTablePath(path), path)
	}
}

func TestResembles(t *testing.T) {
	for text, want := range map[string]bool{
		"2 qid:10 1:3 2:0.5":     false,
		"2\tqid:10\t1:3\t2:0.5":  false,
		"2\t1:3\t2:0.5":          false,
		"# a, comment\n2 qid:10": false,
		"2":                      false,
		"":                       false,
		"\t\n":                   false,
		"2 #a,b":                 false,
		"PAR1":                   true,
		"2,10,3,0.5":             true,
		"2\t10\t3\t0.5":          true,
		"label\tqid\tf:1\n":      true,
		"label,qid\n":            true,
		"\ufeff\n\nlabel,qid\n":  true,
		"0,a b:c\n":              true,
	} {
		assert.Equal(t, want, resembles([]byte(text)), "%q", text)
	}
}

// TestOf: the name takes precedence over the content, and the user's choice over both.
func TestOf(t *testing.T) {
	const rankings, cells, tabs = "2 qid:10 1:3\n", "2,10,3\n", "2\t10\t3\n"
	for _, c := range []struct {
		name, content string
		said, want    Format
	}{
		{"a.txt", rankings, Auto, LETOR},
		{"a.txt", rankings, "", LETOR},
		{"a.txt", "", Auto, LETOR},
		{"a.txt", cells, Auto, CSV},
		{"a.txt", tabs, Auto, TSV},
		{"a.csv", rankings, Auto, CSV},
		{"a.tsv", cells, Auto, TSV},
		{"a.parquet", cells, Auto, Parquet},
		{"a.csv", "PAR1", Auto, Parquet},
		{"a.txt", "PAR1", Auto, Parquet},
		{"a.csv", cells, LETOR, LETOR},
		{"a.txt", rankings, TSV, TSV},
	} {
		path := aid.File(t, c.name, c.content)
		in, err := stream.Open(path, stream.Options{})
		require.NoError(t, err)
		got, err := c.said.Of(path, in)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%+v", c)
		require.NoError(t, in.Close())
	}
}
