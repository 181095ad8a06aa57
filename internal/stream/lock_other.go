//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package stream

import (
	"errors"
	"os"
	"runtime"
)

// createLocked makes a new file. Windows lets no other process remove it while it is open.
func createLocked(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// removeAbandoned removes a file that createLocked made in a process that no longer runs. It reports whether
// the name is free. Systems without locks, other than Windows, keep such files.
func removeAbandoned(name string) bool {
	if runtime.GOOS != "windows" {
		return false
	}
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular() && os.Remove(name) == nil
}

// publish closes a file and gives it its name, in this order because Windows does not rename open files.
func publish(f *os.File, target string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// discard closes a file and removes it, in this order because Windows does not remove open files.
func discard(f *os.File) error {
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
