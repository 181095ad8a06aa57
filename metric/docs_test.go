package metric

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/lambdamart/lambdamart/test/aid"
)

//go:generate go test -run Docs -update

var update = flag.Bool("update", false, "rewrite the tables of docs/metrics.md")

// metricsTable describes the registered metrics in Markdown.
func metricsTable() string {
	var b strings.Builder
	b.WriteString("| metric | other names | cut-off | number | value |\n|---|---|---|---|---|\n")
	for _, kind := range kinds {
		number := ""
		if n := kind.takes; n != nil {
			number = fmt.Sprintf("%s %s, default %v", n.name, n.within, n.standard)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", kind.name, aid.InCode(kind.aliases),
			choose(kind.noCutoff, "meaningless", "optional"), number, kind.help)
	}
	return b.String()
}

// conventionsTable describes the presets in Markdown.
func conventionsTable() string {
	var b strings.Builder
	b.WriteString("| convention | gain | discount | empty query | equal scores | relevant above | " +
		"map@k by | p@k by | weights |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range Presets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %v | %s | %s | %s |\n", c.Name, c.Gain, c.Discount.text(),
			c.Empty.text(), c.Ties.text(), c.RelevantAbove,
			choose(c.APReachable, "k if smaller", "relevant"), choose(c.Short == ShortCut, "documents", "k"),
			[]string{"taken", "taken, but for empty queries in ndcg", "neglected"}[c.Weights])
	}
	return b.String()
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func TestDocsAreCurrent(t *testing.T) {
	for name, table := range map[string]string{"metrics": metricsTable(), "conventions": conventionsTable(),
		"tools": toolsTable()} {
		name += ", made from the register by go test ./metric -run Docs -update"
		aid.Table(t, "../docs/metrics.md", name, table, *update)
	}
}
