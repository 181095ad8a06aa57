package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Temporary makes an empty file for reading and writing in os.TempDir. The file disappears when it is closed:
// on Windows by a flag, elsewhere because its name is removed at once, so that a killed process does not
// leave it either.
func Temporary() (*os.File, error) {
	for {
		name := filepath.Join(os.TempDir(), fmt.Sprintf("lambdamart-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|removeOnClose, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil && removeOnClose == 0 {
			err = os.Remove(name)
		}
		return f, err
	}
}

// mostBeside is the largest number of temporary files, in use or left over, for one output.
const mostBeside = 1000

// createBeside makes a new, empty file in target's folder, with the permissions that the process gives new
// files. Its name is .BASE.N.tmp with the least number N that is free.
//
// A process that is killed leaves its file, which the next writer of the same output removes. The file is
// locked while it is in use. The system releases the lock with the process, so a lock that can be taken shows
// that the file was left over (lock_flock.go, lock_other.go).
func createBeside(target string) (*os.File, error) {
	for n := 0; n < mostBeside; {
		name := beside(target, n)
		f, err := createLocked(name)
		switch {
		case err == nil:
			removeLeft(target, n+1)
			return f, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		case !removeAbandoned(name):
			n++
		}
	}
	return nil, fmt.Errorf("%d files such as %s are beside it; remove those that no process writes",
		mostBeside, beside(target, 0))
}

// beside returns the name of a file that will become target.
func beside(target string, n int) string {
	dir, base := filepath.Split(target)
	return fmt.Sprintf("%s.%s.%d.tmp", dir, base, n)
}

// RemoveLeft removes the temporary files that killed processes have left for the output path. [WriteFile] and
// [Probe] do this themselves; call it for an output that will not be written again.
func RemoveLeft(path string) { removeLeft(path, 0) }

// removeLeft is like RemoveLeft, for the files from number n on, up to the first number without a file.
func removeLeft(target string, n int) {
	for ; n < mostBeside; n++ {
		name := beside(target, n)
		if _, err := os.Lstat(name); err != nil {
			return
		}
		removeAbandoned(name)
	}
}

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
