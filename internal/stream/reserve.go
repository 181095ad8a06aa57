package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Reserve keeps other processes that call it from writing to path, a file or a folder, until release is
// called or this process ends. If another process has reserved path, it returns an error. It does nothing for
// devices, pipes, standard output, and paths that cannot be written, which [Probe] finds.
//
// The lock is on a file beside path, because output files are replaced.
func Reserve(path string) (release func(), err error) {
	info, err := os.Stat(path)
	if path == "" || path == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return func() {}, nil
	}
	name := beside(filepath.Clean(Target(path))+".lock", 0)
	for {
		f, err := createLocked(name)
		switch {
		case err == nil:
			return func() { _ = discard(f) }, nil
		case !errors.Is(err, fs.ErrExist):
			return func() {}, nil
		case !removeAbandoned(name):
			return nil, fmt.Errorf("another run is writing %s: wait for it, or name another output (if there is "+
				"none, remove %s)", path, name)
		}
	}
}
