package document

import (
	"encoding/binary"
	"math"
)

// take returns the next n bytes, or nothing if there are fewer.
func (p *parser) take(n int) string {
	if n > len(p.text)-p.at {
		p.fail(p.at, ErrTruncated, "want %d bytes, there are %d", n, len(p.text)-p.at)
		return ""
	}
	p.at += n
	return p.text[p.at-n : p.at]
}

// marker skips no-operation bytes and returns the byte after them.
func (p *parser) marker() byte {
	for p.skip('N') {
	}
	b := p.take(1)
	if b == "" {
		return 0
	}
	return b[0]
}

// width returns the number of bytes of a number of type marker, or 0 if marker is not a numeric type.
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

// ubjson reads the value of type marker that follows.
func (p *parser) ubjson(marker byte) value {
	v := value{offset: p.at, marker: marker}
	if n := width(marker); n > 0 {
		v.kind, v.raw = number, p.take(n)
		return v
	}
	switch marker {
	case 'Z':
		v.kind = null
	case 'T':
		v.kind, v.raw = boolean, "true"
	case 'F':
		v.kind, v.raw = boolean, "false"
	case 'C':
		v.kind, v.raw = text, p.take(1)
	case 'S':
		v.kind, v.raw = text, p.take(p.length())
	case '[':
		p.enter(v.offset)
		p.array(&v)
		p.depth--
	case '{':
		p.enter(v.offset)
		p.object(&v)
		p.depth--
	default:
		p.fail(max(0, p.at-1), ErrSyntax, "type %q", marker)
	}
	return v
}

// length reads a number of bytes or values, which is at most the number of bytes of the file.
func (p *parser) length() int {
	at := p.at
	marker := p.marker()
	if width(marker) == 0 || marker == 'd' || marker == 'D' {
		p.fail(at, ErrSyntax, "type %q for a length", marker)
		return 0
	}
	raw := p.take(width(marker))
	if p.err != nil {
		return 0
	}
	n := integer(marker, raw)
	if n < 0 || n > int64(len(p.text)) {
		p.fail(at, ErrLength, "%d, in a file of %d bytes", n, len(p.text))
		return 0
	}
	return int(n)
}

// container is the head of an array or object, which follows its opening bracket.
type container struct {
	element byte // marker of all values; 0 if each has its own
	count   int  // number of values; -1 if a closing bracket ends them
}

func (p *parser) container() container {
	c := container{count: -1}
	if p.skip('$') {
		c.element = p.marker()
		if p.at < len(p.text) && p.text[p.at] != '#' {
			p.fail(p.at, ErrSyntax, "a type without a count")
		}
	}
	if p.skip('#') {
		c.count = p.length()
	}
	return c
}

// more reports whether a container has more than done values, and reads its closing bracket.
func (p *parser) more(c container, done int, end byte) bool {
	if p.err != nil {
		return false
	}
	if c.count >= 0 {
		return done < c.count
	}
	for p.skip('N') {
	}
	if p.at >= len(p.text) {
		p.fail(p.at, ErrTruncated, "no %q", end)
		return false
	}
	return !p.skip(end)
}

// next reads a value of a container. Values of some types take no bytes, so a short file could declare any
// number of them: in all, only as many are accepted as the file has bytes.
func (p *parser) next(c container) value {
	if c.element == 0 {
		return p.ubjson(p.marker())
	}
	if p.left--; p.left < 0 {
		p.fail(p.at, ErrLength, "more values than the file has bytes")
	}
	return p.ubjson(c.element)
}

func (p *parser) array(v *value) {
	c := p.container()
	v.kind = array
	if n := width(c.element); n > 0 && c.count > 0 {
		v.kind, v.marker, v.count, v.raw = numbers, c.element, c.count, p.take(n*c.count)
		return
	}
	for p.more(c, len(v.fields), ']') {
		v.fields = append(v.fields, field{"", p.next(c)})
	}
}

func (p *parser) object(v *value) {
	c := p.container()
	v.kind = object
	for p.more(c, len(v.fields), '}') {
		key := p.take(p.length())
		v.fields = append(v.fields, field{key, p.next(c)})
	}
	p.checkKeys(v.fields)
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
