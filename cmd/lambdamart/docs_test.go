package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
)

//go:generate go test -run Docs -update

var update = flag.Bool("update", false, "rewrite the tables of docs/parameters.md and docs/from-lightgbm.md")

func allParameters() param.Table { return program().Parameters() }

func TestDocsAreCurrent(t *testing.T) {
	used := slices.DeleteFunc(allParameters(), func(p param.Parameter) bool { return p.Inert })
	requireCurrent(t, "../../docs/parameters.md", func(page string) string {
		before, _, _ := strings.Cut(page, "## ")
		return before + markdown(used)
	})
}

// markdown returns a table, sorted by heading, as documentation, with a section for each heading.
func markdown(t param.Table) string {
	var b strings.Builder
	for i, p := range t {
		if i == 0 || p.Group != t[i-1].Group {
			fmt.Fprintf(&b, "\n## %s\n\n| parameter | default | allowed | meaning |\n|---|---|---|---|\n", p.Group)
		}
		meaning, initial := p.Help, ""
		if len(p.Aliases) > 0 {
			meaning += " Aliases: `" + strings.Join(p.Aliases, "`, `") + "`."
		}
		if v := p.Value.String(); v != "" {
			initial = "`" + v + "`"
		}
		allowed := cmp.Or(p.Value.Range(), p.Value.Type())
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, initial, allowed, strings.TrimSpace(meaning))
	}
	return b.String()[1:]
}

// requireCurrent requires that a page is as renew returns it, or writes it.
func requireCurrent(t *testing.T, path string, renew func(page string) string) {
	t.Helper()
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	text := renew(string(page))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return
	}
	assert.True(t, string(page) == text, "run: go test ./cmd/lambdamart -run Docs -update")
}

func TestNamesAreDistinctOverAllTables(t *testing.T) {
	owner := map[string]string{}
	for _, p := range allParameters() {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			assert.Empty(t, owner[name], "%s of %s", name, p.Name)
			owner[name] = p.Name
		}
		assert.NotEmpty(t, p.Help, p.Name)
		assert.NoError(t, p.Value.Check(), p.Name)
	}
}

// TestAllOfLightGBMsNamesAreKnown compares with LightGBM 4.7.0's parameters and aliases, printed by its
// library (LGBM_DumpParamAliases) and written by testdata/aliases.py.
func TestAllOfLightGBMsNamesAreKnown(t *testing.T) {
	text, err := os.ReadFile("testdata/lightgbm_aliases.txt")
	require.NoError(t, err)
	table := allParameters()
	for line := range strings.Lines(string(text)) {
		names := strings.Fields(line)
		for _, name := range names {
			p := table.Find(name)
			require.NotNil(t, p, name)
			// ours are patience and min_delta
			if names[0] != "early_stopping_round" && names[0] != "early_stopping_min_delta" {
				assert.Equal(t, names[0], p.Name, name)
			}
		}
	}
}
