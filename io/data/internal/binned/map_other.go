//go:build !unix

package binned

import "os"

// load reads a file into memory: see map_unix.go. Nobody else can change that memory.
func load(path string) (mapping, error) {
	data, err := os.ReadFile(path)
	return mapping{data: data, opened: state{size: int64(len(data))}}, err
}

func (m *mapping) stat() (state, error) { return m.opened, nil }

func (m *mapping) close() error { return nil }
