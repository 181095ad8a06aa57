package aid

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Table requires that a page has a table that is made from code: after the comment <!-- name --> and before
// the comment that says where it ends. If update, it is written there.
func Table(t testing.TB, page, name, table string, update bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	begin, end := "<!-- "+name+" -->\n", "<!-- end of the table -->\n"
	before, rest, begins := strings.Cut(string(text), begin)
	current, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s: want the lines %s and %s", page, begin, end)
	if update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+table+end+after), 0o666))
		return
	}
	assert.True(t, current == table, "%s: another table: %s", page, name)
}

// InCode returns words in Markdown, each as code, with commas between them.
func InCode(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}
