//go:build unix

package binned

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/lambdamart/lambdamart/internal/ahead"
	"github.com/lambdamart/lambdamart/internal/limits"
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

// mapAll maps the file, and remembers in which state it was before the first byte was read.
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
	if m.data, err = unix.Mmap(int(m.file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return err
	}
	m.advise()
	return nil
}

// advise tells the system to read ahead, and not around, if memory does not hold the file beside a training, whose passes
// over the rows are in their order. Otherwise it would read what was just dropped again. That it cannot does no harm.
func (m *mapping) advise() {
	if room, _, limited := limits.Room(); limited && m.opened.size > room/2 {
		m.scarce = true
		_ = unix.Madvise(m.data, unix.MADV_SEQUENTIAL)
	}
}

// reader returns what reads ahead for passes over the file, which the system does no longer: its own window would not fit
// beside a training. It is nil where memory is not scarce.
func (m *mapping) reader() ahead.Reader {
	if !m.scarce || unix.Madvise(m.data, unix.MADV_RANDOM) != nil {
		return nil
	}
	first, page := uintptr(unsafe.Pointer(unsafe.SliceData(m.data))), uintptr(os.Getpagesize())
	return func(bytes []byte) {
		from := (uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) - first) / page * page
		_ = unix.Madvise(m.data[from:uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))-first+uintptr(len(bytes))], unix.MADV_WILLNEED)
	}
}

// stat returns the state of the file now. A file that has taken its name does not count.
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
