package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		`plain "é" 漢字 \ text`:    `plain "é" 漢字 \ text`,
		"\x1b[31mred":            `\u001b[31mred`,
		"a\rb\tc\x00":            `a\u000db\u0009c\u0000`,
		"\xff\xfe":               `\xff\xfe`,
		"\u202eright to left":    `\u202eright to left`,
		"\U000e0001tag":          `\U000e0001tag`,
		"the sign \ufffd itself": "the sign \ufffd itself",
	} {
		assert.Equal(t, want, Printable(text))
	}
}

// TestMessagesAreText: control characters in a message's arguments do not change its lines.
func TestMessagesAreText(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out)
	c.Warn("feature \x1b]0;title\x07 is\nconstant\r")
	assert.Equal(t, "warning: feature \\u001b]0;title\\u0007 is\nconstant\\u000d\n", out.String())
}

// TestLongMessagesAreShortened: a message shows only the beginning and the end of an overlong line.
func TestLongMessagesAreShortened(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out)
	long := "a=" + strings.Repeat("é", 500_000) + ": what is wrong"
	c.Warn(long + "\nnext")
	assert.Regexp(t, `^warning: a=é+ … \(9\d{5} bytes\) … é+: what is wrong\nnext\n$`, out.String())
	assert.Less(t, out.Len(), 4100)
}
