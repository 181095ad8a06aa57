package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// jsonParser reads a text from its beginning to its end.
type jsonParser struct {
	text  string
	at    int
	depth int
}

func parseJSON(text string) (*Document, error) {
	p := &jsonParser{text: text}
	root, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, p.unexpected("the end of the file")
	}
	return &Document{text: text, root: root}, nil
}

func (p *jsonParser) fail(at int, err error) error { return &Error{Offset: at, Err: err} }

// unexpected returns the error for finding something else than want at the current place.
func (p *jsonParser) unexpected(want string) error {
	if p.at >= len(p.text) {
		return p.fail(p.at, fmt.Errorf("%w: want %s", ErrTruncated, want))
	}
	end := p.at
	for end < len(p.text) && end-p.at < longestToken && strings.IndexByte(" \t\r\n,:]}\"", p.text[end]) < 0 {
		end++
	}
	return p.fail(p.at, fmt.Errorf("%w: %q, want %s", ErrSyntax, p.text[p.at:max(end, p.at+1)], want))
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// skip skips white space and then c, and reports whether c was there.
func (p *jsonParser) skip(c byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *jsonParser) value() (value, error) {
	p.space()
	v := value{offset: p.at}
	if p.at >= len(p.text) {
		return v, p.unexpected("a value")
	}
	var err error
	switch c := p.text[p.at]; c {
	case '{', '[':
		if p.depth++; p.depth > MaxDepth {
			return v, p.fail(p.at, fmt.Errorf("%w: more than %d levels", ErrDepth, MaxDepth))
		}
		p.at++
		if c == '{' {
			v.kind = object
			v.fields, err = p.fields()
		} else {
			err = p.elements(&v)
		}
		p.depth--
	case '"':
		v.kind = text
		v.raw, err = p.quoted()
	default:
		err = p.word(&v)
	}
	return v, err
}

// fields reads an object whose opening brace has been read.
func (p *jsonParser) fields() ([]field, error) {
	var fields []field
	for first := true; !p.skip('}'); first = false {
		if !first && !p.skip(',') {
			return nil, p.unexpected("a comma or }")
		}
		if p.space(); p.at >= len(p.text) || p.text[p.at] != '"' {
			return nil, p.unexpected("a key in quotes")
		}
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if !p.skip(':') {
			return nil, p.unexpected("a colon")
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{key, v})
	}
	return fields, checkKeys(fields)
}

// elements reads an array whose opening bracket has been read.
func (p *jsonParser) elements(v *value) error {
	if p.numbers(v) {
		return nil
	}
	v.kind = array
	for !p.skip(']') {
		if len(v.fields) > 0 && !p.skip(',') {
			return p.unexpected("a comma or ]")
		}
		e, err := p.value()
		if err != nil {
			return err
		}
		v.fields = append(v.fields, field{"", e})
	}
	return nil
}

// numbers reads an array that contains only numbers. For other arrays, it reports false and reads nothing.
func (p *jsonParser) numbers(v *value) bool {
	start, count := p.at, 0
	for {
		p.space()
		n := numberLength(p.text[p.at:])
		if n == 0 {
			break
		}
		p.at += n
		count++
		if p.skip(']') {
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
func (p *jsonParser) word(v *value) error {
	for _, w := range []struct {
		text string
		kind kind
	}{{"null", null}, {"true", boolean}, {"false", boolean}} {
		if strings.HasPrefix(p.text[p.at:], w.text) {
			v.kind, v.raw = w.kind, w.text
			p.at += len(w.text)
			return nil
		}
	}
	n := numberLength(p.text[p.at:])
	if n == 0 {
		return p.unexpected("a value")
	}
	v.kind, v.raw = number, p.text[p.at:p.at+n]
	p.at += n
	return nil
}

// quoted reads a string with its quotes and returns the text without them.
func (p *jsonParser) quoted() (string, error) {
	start := p.at
	p.at++
	escaped := false
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			if !escaped {
				return p.text[start+1 : p.at-1], nil
			}
			var s string
			if err := json.Unmarshal([]byte(p.text[start:p.at]), &s); err != nil {
				return "", p.fail(start, fmt.Errorf("%w: %s in a string", ErrSyntax, Clip(err.Error())))
			}
			return s, nil
		case c == '\\':
			escaped = true
			p.at++
		case c < ' ':
			return "", p.fail(p.at, fmt.Errorf("%w: control character %q in a string", ErrSyntax, c))
		}
	}
	return "", p.fail(start, fmt.Errorf("%w: within a string", ErrTruncated))
}

// numberLength returns the length of the number at the beginning of s, or 0 if there is none.
func numberLength(s string) int {
	rest := strings.TrimPrefix(s, "-")
	for _, word := range []string{"Infinity", "NaN"} {
		if strings.HasPrefix(rest, word) {
			return len(s) - len(rest) + len(word)
		}
	}
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return 0
	}
	rest = rest[whole:]
	if after, found := strings.CutPrefix(rest, "."); found {
		if rest = after[digits(after):]; len(rest) == len(after) {
			return 0
		}
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		after := rest[1:]
		if len(after) > 0 && (after[0] == '+' || after[0] == '-') {
			after = after[1:]
		}
		if rest = after[digits(after):]; len(rest) == len(after) {
			return 0
		}
	}
	return len(s) - len(rest)
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
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

// AppendList appends a list as JSON, with add for each value.
func AppendList[T any](b []byte, list []T, add func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, v)
	}
	return append(b, ']')
}

// AppendQuoted appends a text as JSON.
func AppendQuoted(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // every string has a JSON form
	return append(b, text...)
}

// JSON returns the value of a JSON document without white space. It fails for NaN and infinities.
func (c Cursor) JSON() string {
	if !c.at() {
		return ""
	}
	var value json.RawMessage
	if err := json.NewDecoder(strings.NewReader(c.document.text[c.value.offset:])).Decode(&value); err != nil {
		c.failf(ErrSyntax, "%v", err)
		return ""
	}
	compact, _ := json.Marshal(value) // it is valid
	return string(compact)
}
