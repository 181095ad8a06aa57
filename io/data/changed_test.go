package data

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestFilesThatChangeWhileTheyAreRead: in every format, a file that was modified since it was opened is an
// error, whether it became longer or shorter.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	parquet, err := os.ReadFile("internal/table/testdata/plain.parquet")
	require.NoError(t, err)
	scored := Layout{Label: "name:target", Query: "name:query", Ignore: "name:note"}
	letor := asLETOR
	forms := map[string]struct {
		content string
		layout  Layout
	}{
		"a.txt": {letor, Layout{}}, "a.txt.gz": {zipped(t, letor), Layout{}}, "a.csv": {asCSV, ofTable},
		"a.csv.gz":  {zipped(t, asCSV), ofTable},
		"a.parquet": {string(parquet), scored}, "parts/part-0.parquet": {string(parquet), scored},
		"parts/part-0.csv": {asCSV, ofTable},
	}
	for name, c := range forms {
		for _, longer := range []int64{-20, 20} {
			path := folder(t, map[string]string{name: c.content})(name)
			opened := path
			if strings.HasPrefix(name, "parts/") {
				opened = strings.TrimSuffix(path, name[len("parts"):])
			}
			f, err := Open(opened, Options{Layout: c.layout})
			require.NoError(t, err, name)
			require.NoError(t, os.Truncate(path, int64(len(c.content))+longer))
			err = dataset.Stream(ctx, f, func(int, *dataset.Block) error { return nil },
				func(*dataset.Block) error { return nil })
			assert.ErrorIs(t, err, dataset.ErrChanged, "%s, %d bytes more", name, longer)
			assert.ErrorContains(t, err, path, name)
			require.NoError(t, f.Close())
		}
	}
}
