package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mostBeside is how many files may be in progress, or left, beside one output.
const mostBeside = 1000

// createBeside makes a new, empty file in target's folder, with the permissions that the process
// gives new files. Its name is .BASE.N.tmp with the least number N that is free.
//
// A process that is killed leaves its file. Whoever next writes the same output removes it: the
// system releases the lock on the file with the process, so that it can be told from one that is
// still being written (lock_flock.go, lock_other.go).
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

// RemoveLeft removes the files that processes which were killed have left beside the output path.
// [WriteFile] and [Probe] do this by themselves; it is for an output that will not be written again.
func RemoveLeft(path string) { removeLeft(path, 0) }

// removeLeft removes such files from number n on, up to the first number without a file.
func removeLeft(target string, n int) {
	for ; n < mostBeside; n++ {
		name := beside(target, n)
		if _, err := os.Lstat(name); err != nil {
			return
		}
		removeAbandoned(name)
	}
}
