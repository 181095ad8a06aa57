//go:build !linux && !windows

package stream

import (
	"errors"
	"os"
)

const removeOnClose = 0

func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }
