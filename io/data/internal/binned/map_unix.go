//go:build unix

package binned

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errNotRegular = errors.New("not a regular file; binned data is mapped into memory")

// load maps a file into memory.
func load(path string) (m mapping, err error) {
	if m.file, err = os.Open(path); err != nil {
		return m, err
	}
	if err = m.mapAll(); err != nil {
		m.file.Close()
	}
	return m, err
}

// mapAll maps the file, and keeps the state that it had before the first byte was read.
func (m *mapping) mapAll() error {
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	m.opened = stateOf(info)
	size := int(m.opened.size)
	switch {
	case int64(size) != m.opened.size:
		return unix.EFBIG
	case size == 0: // nothing can be mapped; decode returns the error
		return nil
	}
	m.data, err = unix.Mmap(int(m.file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	return err
}

// stat returns the current state of the file, even if another file has replaced it at its path.
func (m *mapping) stat() (state, error) {
	info, err := m.file.Stat()
	if err != nil {
		return state{}, err
	}
	return stateOf(info), nil
}

func (m *mapping) close() error {
	var unmapped error
	if m.data != nil {
		unmapped = unix.Munmap(m.data)
	}
	return errors.Join(unmapped, m.file.Close())
}
