package stream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Probe returns the error with which [WriteFile] could not write to path, as far as this can be known
// without writing: call it before work whose result goes there. It makes a file beside path and
// removes it. Devices and pipes, which notice when they are opened, are left alone, and so is
// standard output.
func Probe(path string) error {
	if path == "-" {
		return nil
	}
	nothing := func(string) error { return nil }
	return output(path, nothing, func(target string, _ fs.FileMode) error {
		f, err := createBeside(target)
		if err != nil {
			return writeError(path, err)
		}
		return discard(f)
	})
}

// Rescue writes to another file what could not be written to path, and returns the path of that file:
// a new name in the current folder or, where this fails too, in path's folder or that of temporary
// files. The error is that of the last one.
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

// freeName returns path with the least number at its end that makes it the name of no file.
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
