package objective

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:generate go test -run Docs -update

var update = flag.Bool("update", false, "rewrite the table of docs/objectives.md")

// The lines of docs/objectives.md before and after the table.
const (
	tableBegin = "<!-- made from the register by go test ./objective -run Docs -update -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

// docsTable describes the registered objectives in Markdown.
func docsTable() string {
	var b strings.Builder
	b.WriteString("| objective | other names | a model file says | loss | parameters |\n|---|---|---|---|---|\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s |\n", e.Name, inCode(e.Aliases), e.ModelName, e.Help,
			inCode(append([]string{"label_gain"}, e.reads...)))
	}
	return b.String()
}

func inCode(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, "`"+word+"`")
	}
	return strings.Join(quoted, ", ")
}

func TestDocsAreCurrent(t *testing.T) {
	const path = "../docs/objectives.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	require.True(t, begins && ends)
	want := before + tableBegin + docsTable() + tableEnd + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o666))
		text = []byte(want)
	}
	assert.True(t, string(text) == want, "run: go test ./objective -run Docs -update")
}
