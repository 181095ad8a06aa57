package studies

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

func TestRead(t *testing.T) {
	f, err := readExperiment(strings.NewReader(`# a comment
data: ../mq2008
eval_at: [1, 10]
num_leaves: 63
rankers:
  - lambdamart
  - {name: shallow, ranker: lambdamart, parameters: {num_leaves: 7}}
  - name: tuned
    ranker: lambdamart
    variants:
      slow: {learning_rate: 0.05}
      fast: {}
`), "e.yaml")
	require.NoError(t, err)
	assert.Equal(t, []param.Setting{
		{Name: "data", Value: "../mq2008", Place: "e.yaml:2:1"},
		{Name: "eval_at", Value: "1,10", Place: "e.yaml:3:1"},
		{Name: "num_leaves", Value: "63", Place: "e.yaml:4:1"},
	}, f.Settings)
	assert.Equal(t, []study.RankerSpec{
		{Name: "lambdamart", Kind: "lambdamart", Place: "e.yaml:6:5"},
		{Name: "shallow", Kind: "lambdamart", Place: "e.yaml:7:5", Settings: []param.Setting{{Name: "num_leaves", Value: "7", Place: "e.yaml:7:54"}}},
		{Name: "tuned", Kind: "lambdamart", Place: "e.yaml:8:5", Variants: []study.RankerVariant{
			{Name: "slow", Settings: []param.Setting{{Name: "learning_rate", Value: "0.05", Place: "e.yaml:11:14"}}},
			{Name: "fast"},
		}},
	}, f.Rankers)
}

func TestWhatIsNotAnExperiment(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "e.yaml: it is empty",
		"- a\n":                    "e.yaml:1:1: the file must be a mapping",
		"data: a\ndata: b\n":       `e.yaml:2:1: "data" comes twice: first in line 1`,
		"data:\n":                  "e.yaml:1:6: data must be a value, not nothing",
		"data: {a: b}\n":           "e.yaml:1:7: data must be a value, not a mapping",
		"data: !x a\n":             "e.yaml:1:7: data must be a value, not one with the tag !x",
		"rankers: [\"\"]\n":        "e.yaml:1:11: a ranker without its kind",
		"eval_at: [1, [2]]\n":      "e.yaml:1:14: eval_at must be a value, not a list",
		"a: 1\n---\nb: 2\n":        "e.yaml:2:1: a second document",
		"a: \"x\n":                 "e.yaml:",
		"a: [1\n":                  "not YAML: ",
		"data: &x a\n":             "e.yaml:1:7: data must be a value, not an anchor",
		"data: &x a\nb: *x\n":      "an anchor",
		"b: *x\n":                  "not YAML: unknown anchor",
		"rankers: lambdamart\n":    `e.yaml:1:10: rankers must be a list, not "lambdamart"`,
		"rankers: [a, a]\n":        `e.yaml:1:14: a second ranker "a"`,
		"rankers: [{name: x}]\n":   "e.yaml:1:11: a ranker without its kind",
		"rankers: [{rankr: x}]\n":  `e.yaml:1:12: "rankr": unknown key`,
		"rankers: [{name: a/b}]\n": `e.yaml:1:18: "a/b": a name has`,
		"rankers: [{name: ..}]\n":  `".."`,
		"rankers:\n- ranker: x\n  variants: {}\n":             "e.yaml:3:13: variants without any",
		"rankers:\n- ranker: x\n  variants: [a]\n":            "e.yaml:3:13: variants must be a mapping",
		"rankers:\n- ranker: x\n  variants: {a: 3}\n":         `e.yaml:3:17: variant a must be a mapping, as in "key: value", not "3"`,
		"rankers:\n- ranker: x\n  variants: {a: {}, a: {}}\n": `e.yaml:3:21: "a" comes twice`,
		"rankers:\n- ranker: x\n  parameters: {p: {}}\n":      "e.yaml:3:19: p must be a value",
		"? [a]\n: b\n":               "a key must be a name",
		strings.Repeat("#", 1<<20+1): "longer than",
	} {
		_, err := readExperiment(strings.NewReader(text), "e.yaml")
		require.Error(t, err, "%.50s", text)
		assert.Contains(t, err.Error(), want, "%.50s", text)
		var located *fileError
		assert.True(t, errors.As(err, &located), "%.50s", text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("data: a\nrankers:\n- {name: x, ranker: lambdamart, variants: {a: {b: [1, 2]}}}\n")
	f.Add("data: a\nrankers:\n- {name: x, ranker: lambdamart, parameters: {num_leaves: 7}}\n- {name: x, ranker: y, variants: {a: {}, a: {}}}\n")
	f.Add("rankers:\n- ranker: x\n- ranker: x\n")
	f.Add("rankers:\n- ranker: x\n  variants: {}\n")
	f.Add("a: &a [*a]\n")
	f.Add("? {a: b}\n: c\n--- !!x y")
	f.Add("<<: {a: b}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := readExperiment(strings.NewReader(text), "e.yaml")
		if err != nil {
			var located *fileError
			require.True(t, errors.As(err, &located), "%v", err)
			return
		}
		seen := map[string]bool{}
		for _, e := range file.Rankers {
			require.False(t, seen[e.Name])
			seen[e.Name] = true
			require.NotEmpty(t, e.Kind)
		}
	})
}
