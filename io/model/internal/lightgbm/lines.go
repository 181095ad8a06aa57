package lightgbm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// lines iterates over the lines of a text in memory, whose line ends are \n.
type lines struct {
	rest   string // the text after the current line
	line   string // the current line, without its end
	number int    // of the current line, from 1; 0 before the first
	start  int    // offset of the current line
	offset int    // offset of rest
}

// next moves to the next line. It returns false at the end of the text.
func (l *lines) next() bool {
	if len(l.rest) == 0 {
		return false
	}
	line, rest, _ := strings.Cut(l.rest, "\n")
	l.start, l.offset = l.offset, l.offset+len(l.rest)-len(rest)
	l.line, l.rest = line, rest
	l.number++
	return true
}

// field is a key=value line, or a bare word without a value.
type field struct {
	key   string
	value string
	line  int
}

// splitField splits the current line at its first equals sign.
func (l *lines) splitField() field {
	key, value, _ := strings.Cut(l.line, "=")
	return field{key, value, l.number}
}

// fields are the lines of the header or of one tree, by key. They store the first error; after it, reading
// them returns only empty values and zeros.
type fields struct {
	byKey map[string]field
	line  int // of the first line
	tree  int // -1 in the header
	err   error
}

func newFields(line, tree int) *fields {
	return &fields{byKey: make(map[string]field), line: line, tree: tree}
}

// add adds a field. It refuses a key that is not in known or occurs twice.
func (f *fields) add(known []string, fd field) {
	if !slices.Contains(known, fd.key) {
		f.fail(fd, fmt.Errorf("%w %q: a reader that skips it may score wrongly", document.ErrUnknownKey,
			document.Clip(fd.key)))
	}
	if before, twice := f.byKey[fd.key]; twice {
		f.fail(fd, fmt.Errorf("%w: already on line %d", document.ErrUnknownKey, before.line))
	}
	f.byKey[fd.key] = fd
}

// has reports whether the key was given.
func (f *fields) has(key string) bool {
	_, ok := f.byKey[key]
	return ok
}

// fail records err with the place of a field, if it is the first error. A long key is left out, because err
// contains a part of it.
func (f *fields) fail(fd field, err error) {
	const longest = 40 // bytes of a key
	if f.err != nil {
		return
	}
	if len(fd.key) > longest {
		fd.key = ""
	}
	f.err = &Error{Line: fd.line, Tree: f.tree, Key: fd.key, Err: err}
}

// refuse records an error of a kind about the value of a key.
func (f *fields) refuse(key string, kind error, format string, args ...any) {
	f.fail(f.byKey[key], fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
}
