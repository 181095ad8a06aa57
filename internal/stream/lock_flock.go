//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package stream

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// createLocked makes a new file and locks it until it is closed. The error is fs.ErrExist if the name is
// taken. On a file system without locks the file is not locked, and other processes never remove it.
func createLocked(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		// Before the file was locked, another process may have considered it abandoned. That process holds
		// the lock until it has removed the file.
		err = lock(f)
		if err != syscall.EWOULDBLOCK && isNamed(f, name) {
			return f, nil
		}
		f.Close()
	}
}

// removeAbandoned removes a file that createLocked made in a process that no longer runs. It reports whether
// the name is free.
//
// Only the process that holds the lock on a file removes or renames it. By the time the lock is taken, the
// file may have been renamed and its old name may belong to a new file, which is left alone.
func removeAbandoned(name string) bool {
	f, err := openLeft(name)
	if err != nil {
		return os.IsNotExist(err)
	}
	defer f.Close()
	return lock(f) == nil && isNamed(f, name) && os.Remove(name) == nil
}

// openLeft opens a regular file for locking: for writing if possible, because NFS locks only such files, and
// otherwise for reading, because an output can be read-only.
func openLeft(name string) (*os.File, error) {
	const flags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := os.OpenFile(name, os.O_RDWR|flags, 0)
	if os.IsPermission(err) {
		f, err = os.OpenFile(name, os.O_RDONLY|flags, 0)
	}
	return f, err
}

// lock locks a file for this process, without waiting: see flock(2).
func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// isNamed reports whether name is the name of f.
func isNamed(f *os.File, name string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(open, named)
}

// publish gives a file its name and closes it. The lock lasts until the name is given.
func publish(f *os.File, target string) error {
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	f.Close() // errors of the data were reported by Sync
	return nil
}

// discard removes a file and then closes it: after the lock is released, another file could have its name.
func discard(f *os.File) error {
	return errors.Join(os.Remove(f.Name()), f.Close())
}
