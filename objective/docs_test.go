package objective

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/lambdamart/lambdamart/test/aid"
)

//go:generate go test -run Docs -update

var update = flag.Bool("update", false, "rewrite the table of docs/objectives.md")

// docsTable describes the registered objectives in Markdown.
func docsTable() string {
	var b strings.Builder
	b.WriteString("| objective | other names | a model file says | loss | parameters |\n|---|---|---|---|---|\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s |\n", e.Name, aid.InCode(e.Aliases), e.ModelName,
			e.Help, aid.InCode(append([]string{"label_gain"}, e.reads...)))
	}
	return b.String()
}

func TestDocsAreCurrent(t *testing.T) {
	aid.Table(t, "../docs/objectives.md", "made from the register by go test ./objective -run Docs -update",
		docsTable(), *update)
}
