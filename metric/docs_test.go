package metric

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

var update = flag.Bool("update", false, "rewrite docs/metrics.md")

const docsHeader = `# Metrics

Made from the register of package metric by ` + "`go test ./metric -run Docs -update`" + `. Upper and lower case do not matter in names.
A cut-off follows an @, as in ` + "`ndcg@10`" + `; without one, all ranks count. A number follows a colon, as in ` + "`rbp:0.95@20`" + `.

**Weights.** Data has a weight for each document: the companion ` + "`.weight`" + ` with a line for each, ` + "`weight_column`" + `, or ` + "`sample_weight`" + ` in Python.
Objectives multiply the gradients of a document by its weight. Metrics weigh queries: the mean over queries is weighted by the mean weight of
each query's documents, as in LightGBM. To weigh whole queries, as XGBoost does, give all documents of a query the same weight, or a ` + "`.weight`" + `
with a line for each query. Conventions that neglect weights say so.

`

// docs describes the register and the presets in Markdown.
func docs() string {
	var b strings.Builder
	b.WriteString(docsHeader + "| metric | other names | cut-off | number | value |\n|---|---|---|---|---|\n")
	for _, kind := range Kinds() {
		number := ""
		if n := kind.Number; n != nil {
			number = fmt.Sprintf("%s %s, default %v", n.Name, n.Range, n.Default)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", kind.Name, inCode(kind.Aliases), kind.Cutoff, number, kind.Help)
	}
	b.WriteString("\n## Conventions\n\nTools compute a metric of one name by different rules. `metric_convention` chooses whose rules hold.\n\n" +
		"| convention | gain | discount | empty query | equal scores | relevant above |\n|---|---|---|---|---|---|\n")
	for _, c := range Presets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %v |\n", c.Name, c.Gain, c.Discount, c.Empty, c.Ties, c.RelevantAbove)
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
	const path = "../docs/metrics.md"
	text := docs()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	current, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(current) == text, "run: go test ./metric -run Docs -update")
}
