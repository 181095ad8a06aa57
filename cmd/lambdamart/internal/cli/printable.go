package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns text with control characters, and bytes that are not UTF-8, as escapes of Go: the
// name of a feature in somebody's file must not move the cursor of a terminal, or begin a line.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unprintable(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case unprintable(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// longestLine is the number of bytes of a message's line that is shown whole.
const longestLine = 4000

// shortened returns a line without its middle if it is very long, as the value of a parameter in somebody's
// configuration can be.
func shortened(line string) string {
	if len(line) <= longestLine {
		return line
	}
	const begin, end = longestLine * 3 / 4, longestLine / 8
	return strings.ToValidUTF8(line[:begin], "") + fmt.Sprintf(" … (%d bytes) … ", len(line)-begin-end) +
		strings.ToValidUTF8(line[len(line)-end:], "")
}
