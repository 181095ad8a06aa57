package rows

import "bytes"

// Lines say what the lines of a text form are.
type Lines struct {
	// Opening tells what the beginning of a line says about it. The text may end
	// within the line, and may begin with its line end.
	Opening func(text []byte) Opening

	// Quotes tells that line ends between double quotes belong to the line.
	Quotes bool
}

// Opening is what the first byte of a line that is not blank tells.
type Opening int

const (
	Unknown   Opening = iota // not seen yet
	OpensRow                 // the line is a row
	OpensNone                // the line is empty, or a comment
)

// longestQuoted bounds a row of a form with quotes, as a quote that is never
// closed would make a row of all that follows it.
const longestQuoted = 1 << 26

// nextEnd returns the place of the first line end at or after at that ends a line,
// -1 if there is none, and whether the text then is within quotes. inside tells
// whether it is at the place at.
func (l Lines) nextEnd(text []byte, at int, inside bool) (end int, stillInside bool) {
	for {
		if inside {
			quote := bytes.IndexByte(text[at:], '"')
			if quote < 0 {
				return -1, true
			}
			at += quote + 1
		}
		end := bytes.IndexByte(text[at:], '\n')
		line := text[at:]
		if end >= 0 {
			line = line[:end]
		}
		quote := -1
		if l.Quotes {
			quote = bytes.IndexByte(line, '"')
		}
		switch {
		case quote >= 0:
			at, inside = at+quote+1, true
		case end >= 0:
			return at + end, false
		default:
			return -1, false
		}
	}
}

// lastEnd returns the place of the last line end that ends a line, -1 if there is
// none. The text begins with a line; its first seen bytes have none.
func (l Lines) lastEnd(text []byte, seen int) int {
	if !l.Quotes || bytes.IndexByte(text, '"') < 0 {
		if end := bytes.LastIndexByte(text[seen:], '\n'); end >= 0 {
			return seen + end
		}
		return -1
	}
	last := -1
	for {
		end, _ := l.nextEnd(text, last+1, false)
		if end < 0 {
			return last
		}
		last = end
	}
}

// lineCount is how much text holds, by lines.
type lineCount struct {
	lines int // line ends, those within quotes included
	rows  int // lines that are rows
}

// count counts in whole lines.
func (l Lines) count(text []byte) (c lineCount) {
	for len(text) > 0 {
		if l.Opening(text) == OpensRow {
			c.rows++
		}
		end, _ := l.nextEnd(text, 0, false)
		if end < 0 { // the text ends within quotes
			end = len(text) - 1
		}
		c.lines += l.quotedEnds(text[:end]) + 1
		text = text[end+1:]
	}
	return c
}

var newline = []byte{'\n'}
