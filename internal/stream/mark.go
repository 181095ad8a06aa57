package stream

import (
	"bytes"
	"io"
)

// Mark is the byte order mark that programs on Windows write before text in UTF-8.
const Mark = "\xef\xbb\xbf"

// WithoutMark returns a reader of text without its byte order mark.
func WithoutMark(r io.Reader) io.Reader { return &markless{r: r} }

// markless skips a byte order mark when it is first read.
type markless struct {
	r     io.Reader
	begun bool
}

func (m *markless) Read(dst []byte) (int, error) {
	if !m.begun {
		m.begun = true
		var head [len(Mark)]byte
		if n, _ := io.ReadFull(m.r, head[:]); string(head[:n]) != Mark {
			m.r = io.MultiReader(bytes.NewReader(head[:n]), m.r) // an error comes again
		}
	}
	return m.r.Read(dst)
}
