//go:build !linux

package outofcore

import "errors"

// mapFile is for systems that can reserve the blocks of a file.
func mapFile(string, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }
