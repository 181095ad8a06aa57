package document

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
)

// ubjsonParser reads a file from its beginning to its end.
type ubjsonParser struct {
	text  string
	at    int
	depth int
	left  int // how many more values without bytes of their own are accepted
}

func parseUBJSON(text string) (*Document, error) {
	p := &ubjsonParser{text: text, left: len(text)}
	marker, err := p.marker()
	if err != nil {
		return nil, err
	}
	root, err := p.value(marker)
	if err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.fail(p.at, ErrSyntax, "more after the end of the value")
	}
	return &Document{root: root}, nil
}

func (p *ubjsonParser) fail(at int, kind error, format string, args ...any) error {
	return &Error{Offset: at, Err: fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))}
}

// take returns the next n bytes.
func (p *ubjsonParser) take(n int) (string, error) {
	if n > len(p.text)-p.at {
		return "", p.fail(p.at, fault.ErrTruncated, "want %d bytes, there are %d", n, len(p.text)-p.at)
	}
	p.at += n
	return p.text[p.at-n : p.at], nil
}

// marker skips no-operation bytes and returns the byte after them.
func (p *ubjsonParser) marker() (byte, error) {
	for {
		b, err := p.take(1)
		if err != nil || b[0] != 'N' {
			return firstByte(b), err
		}
	}
}

func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// width returns the number of bytes of a number of type marker, or 0 if marker is not the type
// of a number.
func width(marker byte) int {
	switch marker {
	case 'i', 'U':
		return 1
	case 'I':
		return 2
	case 'l', 'd':
		return 4
	case 'L', 'D':
		return 8
	}
	return 0
}

// value reads the value of type marker that follows.
func (p *ubjsonParser) value(marker byte) (v value, err error) {
	v = value{offset: p.at, marker: marker}
	if n := width(marker); n > 0 {
		v.kind = number
		v.raw, err = p.take(n)
		return v, err
	}
	switch marker {
	case 'Z':
		v.kind = null
	case 'T':
		v.kind, v.raw = boolean, "true"
	case 'F':
		v.kind, v.raw = boolean, "false"
	case 'C':
		v.kind = text
		v.raw, err = p.take(1)
	case 'S':
		v.kind = text
		v.raw, err = p.text1()
	case '[', '{':
		if p.depth++; p.depth > MaxDepth {
			return v, p.fail(p.at, fault.ErrDepth, "more than %d levels", MaxDepth)
		}
		if marker == '[' {
			err = p.array(&v)
		} else {
			err = p.object(&v)
		}
		p.depth--
	default:
		err = p.fail(max(0, p.at-1), ErrSyntax, "type %q", marker)
	}
	return v, err
}

// text1 reads a length and that many bytes.
func (p *ubjsonParser) text1() (string, error) {
	n, err := p.length()
	if err != nil {
		return "", err
	}
	return p.take(n)
}

// length reads a number of bytes or values. It is at most the number of bytes of the file.
func (p *ubjsonParser) length() (int, error) {
	at := p.at
	marker, err := p.marker()
	if err != nil {
		return 0, err
	}
	if width(marker) == 0 || marker == 'd' || marker == 'D' {
		return 0, p.fail(at, ErrSyntax, "type %q for a length", marker)
	}
	raw, err := p.take(width(marker))
	if err != nil {
		return 0, err
	}
	n := integer(marker, raw)
	if n < 0 || n > int64(len(p.text)) {
		return 0, p.fail(at, fault.ErrLength, "%d, in a file of %d bytes", n, len(p.text))
	}
	return int(n), nil
}

// container is the head of an array or object, which follows its opening bracket.
type container struct {
	element byte // marker of all values; 0 if each has its own
	count   int  // number of values; -1 if a closing bracket ends them
}

func (p *ubjsonParser) container() (c container, err error) {
	c.count = -1
	if p.at < len(p.text) && p.text[p.at] == '$' {
		p.at++
		if c.element, err = p.marker(); err != nil {
			return c, err
		}
		if p.at < len(p.text) && p.text[p.at] != '#' {
			return c, p.fail(p.at, ErrSyntax, "a type without a count")
		}
	}
	if p.at < len(p.text) && p.text[p.at] == '#' {
		p.at++
		c.count, err = p.length()
	}
	return c, err
}

// more reports whether a container has more than done values, and reads its closing bracket.
func (p *ubjsonParser) more(c container, done int, end byte) (bool, error) {
	if c.count >= 0 {
		return done < c.count, nil
	}
	for p.at < len(p.text) && p.text[p.at] == 'N' {
		p.at++
	}
	if p.at < len(p.text) && p.text[p.at] == end {
		p.at++
		return false, nil
	}
	if p.at >= len(p.text) {
		return false, p.fail(p.at, fault.ErrTruncated, "no %q", end)
	}
	return true, nil
}

// next reads a value of a container. Values of some types have no bytes of their own, so that
// a short file could declare any number of them: at most as many are accepted, in all, as the
// file has bytes.
func (p *ubjsonParser) next(c container) (value, error) {
	marker, err := c.element, error(nil)
	if marker == 0 {
		if marker, err = p.marker(); err != nil {
			return value{}, err
		}
	} else if p.left--; p.left < 0 {
		return value{}, p.fail(p.at, fault.ErrLength, "more values than the file has bytes")
	}
	return p.value(marker)
}

func (p *ubjsonParser) array(v *value) error {
	c, err := p.container()
	if err != nil {
		return err
	}
	v.kind = array
	if n := width(c.element); n > 0 && c.count > 0 {
		v.kind, v.marker, v.count = numbers, c.element, c.count
		v.raw, err = p.take(n * c.count)
		return err
	}
	for {
		more, err := p.more(c, len(v.fields), ']')
		if err != nil || !more {
			return err
		}
		e, err := p.next(c)
		if err != nil {
			return err
		}
		v.fields = append(v.fields, field{"", e})
	}
}

func (p *ubjsonParser) object(v *value) error {
	c, err := p.container()
	if err != nil {
		return err
	}
	v.kind = object
	for {
		more, err := p.more(c, len(v.fields), '}')
		if err != nil {
			return err
		}
		if !more {
			return checkKeys(v.fields)
		}
		key, err := p.text1()
		if err != nil {
			return err
		}
		e, err := p.next(c)
		if err != nil {
			return err
		}
		v.fields = append(v.fields, field{key, e})
	}
}

// integer returns the value of a number of an integer type.
func integer(marker byte, raw string) int64 {
	b := []byte(raw)
	switch marker {
	case 'i':
		return int64(int8(b[0]))
	case 'U':
		return int64(b[0])
	case 'I':
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 'l':
		return int64(int32(binary.BigEndian.Uint32(b)))
	}
	return int64(binary.BigEndian.Uint64(b))
}

// float returns the value of a number of a floating type.
func float(marker byte, raw string) float64 {
	b := []byte(raw)
	if marker == 'd' {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}
