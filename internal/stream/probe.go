package stream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Probe returns the error with which [WriteFile] would fail to write to path, as far as this can be known
// without writing. Call it before long work whose result goes there. It makes a file beside path and removes
// it. It does not check devices, pipes and standard output.
func Probe(path string) error {
	if path == "-" {
		return nil
	}
	nothing := func() error { return nil }
	return output(path, nothing, func(target string, _ fs.FileMode) error {
		f, err := createBeside(target)
		if err != nil {
			return writeError(path, err)
		}
		return discard(f)
	})
}

// Rescue writes output that could not be written to path to another file, and returns its path: a new name in
// the current folder or, if this fails too, in path's folder or the folder for temporary files. The error is
// that of the last attempt.
func Rescue(path string, write func(w io.Writer) error) (where string, err error) {
	folder, base := filepath.Split(path)
	if path == "-" || path == "" {
		base = "output"
	}
	for _, dir := range []string{"", folder, os.TempDir()} {
		where, err = freeName(filepath.Join(dir, base))
		if err != nil {
			continue
		}
		if err = WriteFile(where, write); err == nil {
			return where, nil
		}
	}
	return "", err
}

// freeName returns path with the least number at its end that makes it an unused name.
func freeName(path string) (string, error) {
	const most = 1000
	for i := 1; i <= most; i++ {
		name := fmt.Sprintf("%s.rescued%d", path, i)
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: %d files were rescued before", path, most)
}
