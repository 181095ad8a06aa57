//go:build !unix && !windows

package worker

import (
	"errors"
	"os"
)

// mapFile is not available on systems for which there is no Python package.
func mapFile(*os.File, int, bool) (data []byte, unmap func() error, err error) {
	return nil, nil, errors.ErrUnsupported
}
