package stream

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openMany opens n files, which are closed while nothing reads them.
func openMany(t *testing.T, n int) (inputs []*Input, contents []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		path, text := filepath.Join(dir, fmt.Sprint(i)), fmt.Sprintf("the text of file %d", i)
		writeTo(t, path, text)
		in, err := Open(path, Options{Many: true})
		require.NoError(t, err)
		t.Cleanup(func() { in.Close() })
		inputs, contents = append(inputs, in), append(contents, text)
	}
	return inputs, contents
}

// TestFilesAreClosedWhileNothingReadsThem reads many files
// concurrently, in different orders and by both methods.
func TestFilesAreClosedWhileNothingReadsThem(t *testing.T) {
	const files, workers = 20, 6
	inputs, contents := openMany(t, files)
	allClosed := func() {
		for _, in := range inputs {
			require.Nil(t, in.file)
		}
	}
	allClosed()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range 10 * files {
				n := (i*(2*w+1) + w) % files
				text := make([]byte, len(contents[n]))
				if i%2 == 0 {
					_, err := inputs[n].ReadAt(text, 0)
					assert.NoError(t, err)
				} else {
					r, err := inputs[n].Reader()
					assert.NoError(t, err)
					_, err = io.ReadFull(r, text)
					assert.NoError(t, err)
					assert.NoError(t, r.Close())
				}
				assert.Equal(t, contents[n], string(text))
			}
		})
	}
	wg.Wait()
	_, err := inputs[0].Head(1)
	require.NoError(t, err)
	allClosed()
	release, err := inputs[0].Keep()
	require.NoError(t, err)
	file := inputs[0].file
	_, err = inputs[0].ReadAt(make([]byte, 1), 0)
	require.NoError(t, err)
	require.Same(t, file, inputs[0].file)
	release()
	allClosed()
	for _, in := range inputs {
		require.NoError(t, in.Close())
	}
}

// TestClosedFilesThatChange: a file that was closed to make room for others is
// refused if it has been replaced.
func TestClosedFilesThatChange(t *testing.T) {
	others := map[string]func(t *testing.T, path string){
		"replaced": func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			writeTo(t, path+".new", string(content))
			require.NoError(t, os.Rename(path+".new", path))
		},
		"removed": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
	}
	for name, do := range changes {
		others[name] = do
	}
	for name, do := range others {
		t.Run(name, func(t *testing.T) {
			inputs, contents := openMany(t, 1)
			do(t, inputs[0].Name())
			_, err := inputs[0].ReadAt(make([]byte, len(contents[0])), 0)
			require.ErrorContains(t, err, inputs[0].Name())
			if name != "removed" {
				assert.ErrorIs(t, err, ErrChanged)
			}
			r, err := inputs[0].Reader()
			if err == nil {
				_, err = io.ReadAll(r)
			}
			assert.ErrorContains(t, err, inputs[0].Name())
		})
	}
}
