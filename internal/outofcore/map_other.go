//go:build !linux

package outofcore

import "errors"

// mapFile returns an error, because this system cannot reserve the blocks of a file.
func mapFile(string, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }
