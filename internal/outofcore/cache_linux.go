package outofcore

import (
	"os"

	"golang.org/x/sys/unix"
)

// avoidCache makes reads of a file bypass the cache, and reports whether the file system supports that.
func avoidCache(f *os.File) bool { return setFlags(f, unix.O_DIRECT) == nil }

// useCache is the opposite of avoidCache.
func useCache(f *os.File) { _ = setFlags(f, 0) }

func setFlags(f *os.File, flags int) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETFL, flags)
	return err
}
