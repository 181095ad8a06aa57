package stream

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads gzip data, which are members one after the other (RFC 1952 §2.2). The library could do that
// alone, but it takes data that are cut within the name in the header of a member for complete.
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

// next begins the next member; io.EOF if there is none.
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
