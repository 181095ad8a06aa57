package stream

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// FilePool keeps only some of its inputs open, because a table can have more parts than a process may have
// open files. The file of an input that is not being read is closed, and opened again when it is needed.
type FilePool struct {
	mu   sync.Mutex
	most int
	open []*Input // inputs with an open file, the least recently used first
}

// NewFilePool returns a pool that keeps at most this many files open, besides those that are being read.
func NewFilePool(most int) *FilePool { return &FilePool{most: most} }

// add takes over an open file.
func (pool *FilePool) add(in *Input) {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	in.pool = pool
	pool.open = append(pool.open, in)
	pool.closeUnused()
}

// hold returns the open file of an input. It stays open until release is called.
func (pool *FilePool) hold(in *Input) (f *os.File, release func(), err error) {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if in.file == nil {
		if in.file, err = reopen(in.name, in.opened); err != nil {
			return nil, nil, err
		}
	} else {
		pool.forget(in)
	}
	pool.open = append(pool.open, in)
	in.readers++
	pool.closeUnused()
	return in.file, func() {
		pool.mu.Lock()
		defer pool.mu.Unlock()
		in.readers--
	}, nil
}

// reopen opens a file again. The error is [ErrChanged] if the path now leads to another file.
func reopen(path string, before fs.FileInfo) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		f.Close()
		return nil, ErrChanged
	}
	return f, nil
}

// closeUnused closes files that are not being read until at most pool.most are open.
func (pool *FilePool) closeUnused() {
	for i := 0; i < len(pool.open) && len(pool.open) > pool.most; {
		in := pool.open[i]
		if in.readers > 0 {
			i++
			continue
		}
		in.file.Close() // it was only read
		in.file = nil
		pool.open = slices.Delete(pool.open, i, i+1)
	}
}

func (pool *FilePool) forget(in *Input) {
	if i := slices.Index(pool.open, in); i >= 0 {
		pool.open = slices.Delete(pool.open, i, i+1)
	}
}

// close closes the file of an input that is not being read.
func (pool *FilePool) close(in *Input) error {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	pool.forget(in)
	f := in.file
	in.file = nil
	if f == nil {
		return nil
	}
	return f.Close()
}

// members reads gzip data, a sequence of members (RFC 1952 §2.2). compress/gzip could do that alone, but it
// accepts data that is cut off within the name in a member's header.
type members struct {
	stored *bufio.Reader
	member *gzip.Reader
}

func newMembers(stored io.Reader) (*members, error) {
	m := &members{stored: bufio.NewReader(stored)}
	var err error
	if m.member, err = gzip.NewReader(m.stored); err != nil {
		return nil, err
	}
	m.member.Multistream(false)
	return m, nil
}

func (m *members) Read(dst []byte) (int, error) {
	for {
		n, err := m.member.Read(dst)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member. At the end it returns io.EOF.
func (m *members) next() error {
	if _, err := m.stored.Peek(1); err != nil {
		return err
	}
	err := m.member.Reset(m.stored)
	m.member.Multistream(false)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
