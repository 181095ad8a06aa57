package study

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/param"
)

func TestReadSpace(t *testing.T) {
	s := dimensions(t, "eta = 0.01 .. 0.3 log # an alias\nnum_leaves=7..127\nobjective = "+
		"lambdarank|rank_xendcg\nbagging_freq = 1\n")
	assert.Equal(t, searchSpace{
		{Name: "learning_rate", Low: 0.01, High: 0.3, Log: true},
		{Name: "num_leaves", Low: 7, High: 127, Integer: true},
		{Name: "objective", Choices: []string{"lambdarank", "rank_xendcg"}},
		{Name: "bagging_freq", Choices: []string{"1"}, Integer: true},
	}, s)
	for _, d := range s {
		again := dimensions(t, d.String()+"\nlambda_l1 = 0..1\n")[0]
		assert.Equal(t, d, again)
	}
}

func readSpace(text string) (searchSpace, error) {
	settings, err := param.ReadConfig(strings.NewReader(text), "space")
	if err != nil {
		return nil, err
	}
	return newSpace(settings)
}

func TestReadSpaceRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"num_leafs = 3..9":                    "num_leafs=3..9 (space:1): unknown parameter; did you mean",
		"num_leaves = 9..3":                   "the range is empty; the first number must be the smaller one",
		"num_leaves = 9..9":                   "the range is empty",
		"num_leaves = 1..9":                   "num_leaves=1: must be >= 2",
		"feature_fraction = 0.5..1.5":         "feature_fraction=1.5",
		"learning_rate = 0..1 log":            "a range of ratios (log) begins above 0",
		"learning_rate = 0.1..x":              "write two numbers",
		"learning_rate = 0.1..NaN":            "write two numbers",
		"learning_rate = 0.1..Inf":            "write two numbers",
		"learning_rate = 0.1 log":             "log is for a range",
		"objective = lambdarank|nonsense":     "nonsense",
		"objective = lambdarank|lambdarank":   "lambdarank comes twice",
		"objective = lambdarank|":             "objective=",
		"learning_rate = 0.1":                 "no parameter in it has several values",
		"max_bin = 15..255":                   "bins are made once",
		"cat_feature = 1|2":                   "bins are made once",
		"seed = 1..100":                       "a seed is no setting",
		"num_iterations = 1..100":             "every trial finds its best iteration",
		"eta = 1..2\nshrinkage_rate = 0.1..1": "twice",
		"num_leaves":                          "space:1",
	} {
		_, err := readSpace(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzReadSpace(f *testing.F) {
	f.Add("learning_rate = 0.01..0.3 log\nobjective = lambdarank|rank_xendcg\n")
	f.Add("num_leaves = 7..127\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readSpace(text)
		if err != nil {
			return
		}
		for round := range 3 {
			p := booster.DefaultParams()
			_, err := p.Table().Apply(s.settings(random.New(0, 1, round).Float64))
			require.NoError(t, err)
		}
	})
}

// TestDefaultSpaces: the default spaces are valid, and exclude parameters that the user sets.
func TestDefaultSpaces(t *testing.T) {
	for _, rows := range []int{10, 100_000, 2_000_000} {
		s, err := newSpace(defaultSpace(&dataset.Meta{Labels: make([]float64, rows)}))
		require.NoError(t, err)
		assert.Len(t, s, 10)
		s, err = newSpace(defaultSpace(&dataset.Meta{Labels: make([]float64, rows)}, "bagging_fraction",
			"objective"))
		require.NoError(t, err)
		assert.Len(t, s, 7)
	}
}

// TestSuggest: the search begins with the models of preset=auto as far as the user's settings and the data
// permit them. Without them, it has no symmetric trees, which categories do not permit.
func TestSuggest(t *testing.T) {
	for name, c := range map[string]struct {
		given      string
		categories string
		presets    int
	}{
		"all": {"", "", 4}, "one objective": {"objective", "", 1}, "given growth": {"grow_policy", "", 0},
		"categories": {"", "0", 0},
	} {
		p := booster.DefaultParams()
		p.CategoricalFeature = c.categories
		o := TuneOptions{Given: []string{c.given, "bagging_fraction"}}
		o.suggest(&p, &dataset.Meta{Labels: make([]float64, 100)})
		assert.Len(t, o.preset, c.presets, name)
		has := func(list []param.Setting, name string) bool {
			return slices.ContainsFunc(list, func(s param.Setting) bool { return s.Name == name })
		}
		assert.Equal(t, c.presets > 0, has(o.Space, "grow_policy"), name)
		for _, model := range o.preset {
			assert.False(t, has(model, c.given) || has(model, "bagging_fraction") || has(model, "bagging_freq"), name)
		}
	}
}

// TestEffects: warnings name settings without effect in all trials, but not those without effect in some. A
// searched parameter must have an effect in some.
func TestEffects(t *testing.T) {
	for name, c := range map[string]struct {
		space  string
		change func(p *booster.Params)
		want   string // of the warning
		wrong  string
	}{
		"none":     {"", func(*booster.Params) {}, "", ""},
		"some":     {"", func(p *booster.Params) { p.YetirankPermutations++ }, "", ""},
		"no trial": {"", func(p *booster.Params) { p.LambdalossMu++ }, "lambdaloss_mu=", ""},
		"searched": {"sigmoid = 0.5..2\nobjective = yetirank | query_rmse\n", func(*booster.Params) {}, "",
			"sigmoid="},
	} {
		p := booster.DefaultParams()
		c.change(&p)
		settings := defaultSpace(&dataset.Meta{Labels: make([]float64, 60_000)})
		if c.space != "" {
			settings = space(t, c.space)
		}
		found, err := newSpace(settings)
		require.NoError(t, err)
		log, said := logged()
		s := search{begun: begun{params: p, log: log}, space: found}
		err = s.checkEffects()
		assert.Equal(t, c.wrong != "", err != nil, "%s: %v", name, err)
		if err != nil {
			assert.ErrorContains(t, err, c.wrong)
		}
		assert.Equal(t, c.want != "", said.Len() > 0, "%s: %s", name, said)
		assert.Contains(t, said.String(), c.want)
	}
}
