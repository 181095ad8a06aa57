package stream

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const removeOnClose = 0

// nameless makes a file that never had a name: see O_TMPFILE in open(2). The error wraps
// errors.ErrUnsupported if the file system cannot do this.
func nameless(folder string) (*os.File, error) {
	f, err := os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE|unix.O_EXCL, 0o600)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
		return nil, errors.ErrUnsupported
	}
	return f, err
}
