package stream

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

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
