//go:build unix

package binned

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/outofcore"
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
	if m.data, err = unix.Mmap(int(m.file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return err
	}
	m.readDirectly()
	return nil
}

// readDirectly makes passes read the file without the mapping if the file and a training run do not fit into
// memory together.
func (m *mapping) readDirectly() {
	if room, _, limited := limits.Room(); limited && m.opened.size > room/2 {
		m.direct = outofcore.NewFile(m.file, m.data)
		m.read = m.direct.Each
	}
}

// hold keeps as much of the file in memory as a training run on this many rows leaves free; bins are the bins
// of these rows. The estimate for the run is generous, because pages that do not fit are read again and
// again.
func (m *mapping) hold(rows int, bins []byte) {
	if m.direct == nil {
		return
	}
	const ofRow, always = 48, 64 << 20
	room, _, _ := limits.Room()
	m.direct.Hold(int(room-room/10) - rows*ofRow - len(bins)/8 - always)
	m.direct.TouchSeldom(bins)
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
