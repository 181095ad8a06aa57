package document

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// unexpected records that something else than want is at the current place.
func (p *parser) unexpected(want string) {
	if p.at >= len(p.text) {
		p.fail(p.at, ErrTruncated, "want %s", want)
		return
	}
	end := p.at
	for end < len(p.text) && end-p.at < longestToken && strings.IndexByte(" \t\r\n,:]}\"", p.text[end]) < 0 {
		end++
	}
	p.fail(p.at, ErrSyntax, "%q, want %s", p.text[p.at:max(end, p.at+1)], want)
}

// space skips white space, and returns the character after it, 0 at the end.
func (p *parser) space() byte {
	for ; p.at < len(p.text); p.at++ {
		if c := p.text[p.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

// token skips white space and then c, and reports whether c was there.
func (p *parser) token(c byte) bool {
	p.space()
	return p.skip(c)
}

// json reads a value of JSON.
func (p *parser) json() value {
	c := p.space()
	v := value{offset: p.at}
	switch c {
	case '{':
		p.enter(v.offset)
		p.members(&v)
		p.depth--
	case '[':
		p.enter(v.offset)
		p.elements(&v)
		p.depth--
	case '"':
		v.kind, v.raw = text, p.quoted()
	default:
		p.word(&v)
	}
	return v
}

// members reads an object from its opening brace on.
func (p *parser) members(v *value) {
	v.kind = object
	p.skip('{')
	for p.err == nil && !p.token('}') {
		if len(v.fields) > 0 && !p.token(',') {
			p.unexpected("a comma or }")
		}
		if p.space() != '"' {
			p.unexpected("a key in quotes")
			return
		}
		key := p.quoted()
		if !p.token(':') {
			p.unexpected("a colon")
		}
		v.fields = append(v.fields, field{key, p.json()})
	}
	p.checkKeys(v.fields)
}

// elements reads an array from its opening bracket on.
func (p *parser) elements(v *value) {
	if p.skip('['); p.numbers(v) {
		return
	}
	v.kind = array
	for p.err == nil && !p.token(']') {
		if len(v.fields) > 0 && !p.token(',') {
			p.unexpected("a comma or ]")
		}
		v.fields = append(v.fields, field{"", p.json()})
	}
}

// numbers reads an array that contains only numbers. For other arrays, it reports false and reads nothing.
func (p *parser) numbers(v *value) bool {
	start, count := p.at, 0
	for {
		p.space()
		n := numberLength(p.text[p.at:])
		if n == 0 {
			break
		}
		p.at += n
		count++
		if p.token(']') {
			v.kind, v.raw, v.count = numbers, p.text[start:p.at-1], count
			return true
		}
		if !p.skip(',') {
			break
		}
	}
	p.at = start
	return false
}

// word reads a number or one of the three words.
func (p *parser) word(v *value) {
	rest := p.text[p.at:]
	switch {
	case strings.HasPrefix(rest, "null"):
		v.raw = rest[:4]
	case strings.HasPrefix(rest, "true"):
		v.kind, v.raw = boolean, rest[:4]
	case strings.HasPrefix(rest, "false"):
		v.kind, v.raw = boolean, rest[:5]
	default:
		v.kind, v.raw = number, rest[:numberLength(rest)]
	}
	if p.at += len(v.raw); v.raw == "" {
		p.unexpected("a value")
	}
}

// quoted reads a string with its quotes and returns the text without them.
func (p *parser) quoted() (s string) {
	start, escaped := p.at, false
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"' && !escaped:
			p.at++
			return p.text[start+1 : p.at-1]
		case c == '"':
			p.at++
			if err := json.Unmarshal([]byte(p.text[start:p.at]), &s); err != nil {
				p.fail(start, ErrSyntax, "%s in a string", Clip(err.Error()))
			}
			return s
		case c == '\\':
			escaped = true
			p.at++
		case c < ' ':
			p.fail(p.at, ErrSyntax, "control character %q in a string", c)
			return ""
		}
	}
	p.fail(start, ErrTruncated, "within a string")
	return ""
}

// numberLength returns the length of the number at the beginning of s, or 0 if there is none.
func numberLength(s string) int {
	rest := strings.TrimPrefix(s, "-")
	for _, word := range []string{"Infinity", "NaN"} {
		if strings.HasPrefix(rest, word) {
			return len(s) - len(rest) + len(word)
		}
	}
	n := 0
	for n < len(s) && strings.IndexByte("+-.0123456789Ee", s[n]) >= 0 {
		n++
	}
	if !json.Valid([]byte(s[:n])) {
		return 0
	}
	return n
}

// AppendFloat appends the shortest decimal that reads back as the finite number v, of 32 or 64 bits, with a
// point or an exponent: XGBoost refuses an integer where it expects a floating-point number.
func AppendFloat(b []byte, v float64, bits int) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, v, 'g', -1, bits)
	if !bytes.ContainsAny(b[from:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// FormatList returns a list as JSON, with add for each value.
func FormatList[T any](list []T, add func([]byte, T) []byte) []byte {
	return append(AppendJoined([]byte{'['}, list, ",", add), ']')
}

// AppendJoined appends the values of a list, with a separator between them.
func AppendJoined[T any](b []byte, list []T, separator string, add func([]byte, T) []byte) []byte {
	for i, v := range list {
		if i > 0 {
			b = append(b, separator...)
		}
		b = add(b, v)
	}
	return b
}

// JSON returns the value of a JSON document without white space. It fails for NaN and infinities.
func (c Cursor) JSON() string {
	if !c.Sound() {
		return ""
	}
	var value json.RawMessage
	if err := json.NewDecoder(strings.NewReader(c.document.text[c.value.offset:])).Decode(&value); err != nil {
		c.Failf(ErrSyntax, "%v", err)
		return ""
	}
	compact, _ := json.Marshal(value) // it is valid
	return string(compact)
}
