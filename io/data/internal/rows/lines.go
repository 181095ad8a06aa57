package rows

import "bytes"

// Lines describes the lines of a text format.
type Lines struct {
	// IsRow reports whether a line is a row: it is not blank, nor a comment. The first byte that is not blank
	// decides. The text begins with the line, perhaps with its line end, and may end within it.
	IsRow func(text []byte) bool

	// Quotes means that line ends between double quotes do not end a line.
	Quotes bool
}

// longestLine bounds the bytes of a line of compressed text or of a pipe, because a small compressed file may
// have lines a thousand times its size. A row of ten million features has about this length.
const longestLine = 1 << 27

// longestQuoted bounds the bytes of a row with quotes, since a quote that is never closed would
// make one row of everything after it.
const longestQuoted = 1 << 26

// NextEnd returns the index in text of the first line end at or after at that is not within quotes, or -1 if
// there is none. at is not within quotes. A line end is within quotes if an odd number of them is before it.
func (l Lines) NextEnd(text []byte, at int) int {
	for quotes := 0; ; {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return -1
		}
		if end += at; l.Quotes {
			quotes += bytes.Count(text[at:end], quote)
		}
		if quotes%2 == 0 {
			return end
		}
		at = end + 1
	}
}

// lastEnd returns the place of the last line end that is not within quotes, or -1. The text begins with a
// line.
func (l Lines) lastEnd(text []byte) int {
	quotes := 0
	if l.Quotes {
		quotes = bytes.Count(text, quote)
	}
	for end := len(text); ; {
		at := bytes.LastIndexByte(text[:end], '\n')
		if at < 0 || quotes == 0 {
			return at
		}
		quotes -= bytes.Count(text[at:end], quote)
		if quotes%2 == 0 {
			return at
		}
		end = at
	}
}

// lineCount is the number of lines and rows in a text.
type lineCount struct {
	lines int // line ends, those within quotes included
	rows  int // lines that are rows
}

// count counts the lines and rows of a text that consists of whole lines.
func (l Lines) count(text []byte) (c lineCount) {
	for len(text) > 0 {
		if l.IsRow(text) {
			c.rows++
		}
		end := l.NextEnd(text, 0)
		if end < 0 { // the text ends within quotes
			end = len(text) - 1
		}
		if c.lines++; l.Quotes {
			c.lines += bytes.Count(text[:end], newline)
		}
		text = text[end+1:]
	}
	return c
}

var newline, quote = []byte{'\n'}, []byte{'"'}

// maxToken is the length to which tokens are cut in errors.
const maxToken = 60

// Shorten cuts a token that would fill the screen.
func Shorten(token []byte) string {
	if len(token) > maxToken {
		return string(token[:maxToken]) + "…"
	}
	return string(token)
}
