package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
