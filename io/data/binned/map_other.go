//go:build !unix

package binned

import "os"

// load reads a file into memory: see map_unix.go.
func load(path string) (data []byte, unmap func() error, err error) {
	data, err = os.ReadFile(path)
	return data, func() error { return nil }, err
}
