//go:build !unix && !windows

package arrays

import (
	"errors"
	"os"
)

// Map returns an error on systems for which there is no Python package.
func Map(*os.File, int, bool) (data []byte, unmap func() error, err error) {
	return nil, nil, errors.ErrUnsupported
}
