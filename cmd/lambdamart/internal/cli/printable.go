package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable escapes control characters and invalid UTF-8 in a text, because the name of a feature in an
// arbitrary file must not move the cursor of a terminal or begin a line.
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

// longestLine is the length in bytes up to which a line of a message is shown completely.
const longestLine = 4000

// shortened removes the middle of a very long line, which the value of a parameter in an arbitrary
// configuration file can be.
func shortened(line string) string {
	if len(line) <= longestLine {
		return line
	}
	const begin, end = longestLine * 3 / 4, longestLine / 8
	return strings.ToValidUTF8(line[:begin], "") + fmt.Sprintf(" … (%d bytes) … ", len(line)-begin-end) +
		strings.ToValidUTF8(line[len(line)-end:], "")
}
