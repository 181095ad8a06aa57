package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// The names of presets, which choose parameters of boosted trees by the size of the data for users who do not
// tune. docs/settings.md has the rules, and bench/quality their evidence: cross-validation on training
// queries, and generated data. The mean of models with several losses, with symmetric trees that each see a
// part of the queries and features, is better than the defaults of package booster, which are LightGBM's.
const (
	PresetNone = "none" // the defaults
	PresetAuto = "auto" // [choosePreset]
	PresetBest = "best" // Auto with four times the models, and query context: [PresetBefore]
	PresetFast = "fast" // the fastest way to the quality of the defaults on large data
)

// smallRows is the largest number of rows, counting only queries with pairs, of data that is considered
// small, for which the learning rate is lower.
const smallRows = 30_000

// Parameters of trees, as on a command line.
const (
	// fastTrees fit less closely than leaf-wise trees and allow larger learning rates. They reach the quality of
	// the defaults in fewer iterations.
	fastTrees = symmetricTrees + " learning_rate=0.3 num_iterations=60"
	// sampledTrees see a part of the features and of the queries: trees that differ average out what each takes
	// for a pattern.
	sampledTrees = "feature_fraction=0.5 bagging_fraction=0.7 bagging_freq=1"
	// symmetricTrees, of six levels, are those of models that are averaged, which fit less closely.
	symmetricTrees = "grow_policy=" + booster.Symmetric + " num_leaves=64"
)

// written returns settings that are written as on a command line.
func written(text string) []param.Setting {
	settings, _ := param.ParseArgs(strings.Fields(text)) // presets are well-formed, as their tests check
	return settings
}

// PresetBefore returns the parameters of query context, what a value means among the documents of its
// query, that the named preset chooses before data is read, and sets them on p. given has the names of the
// parameters that the user has set.
func PresetBefore(name string, p *booster.Params, given ...string) []param.Setting {
	if name != PresetBest || slices.Contains(given, "query_context") {
		return nil
	}
	p.QueryContext = []string{"rank", "zscore"}
	return []param.Setting{{Name: "query_context", Value: strings.Join(p.QueryContext, ",")}}
}

// choosePreset returns the parameters of a preset for data like m. validated means that a validation set
// stops training early; otherwise the number of iterations is chosen too. p and the names in given are the
// user's settings.
func choosePreset(name string, p *booster.Params, m *dataset.Meta, validated bool,
	given ...string) []param.Setting {
	if name == PresetFast {
		return written(fastTrees)
	}
	small, chosen := taughtRows(m) <= smallRows, ""
	switch {
	case OneModel(p, m, given...) == "":
		models := len(presetLosses)
		if name == PresetBest {
			models *= bestSeeds
		}
		chosen = fmt.Sprintf("num_models=%d model_objectives=%s %s", models, strings.Join(presetLosses, ","),
			presetTrees(small))
	case small: // squared errors within a query use every document, and not only pairs at the top
		chosen = "objective=query_rmse num_leaves=15 learning_rate=0.05 " + sampledTrees
	}
	return written(chosen + " " + presetEnds(small, validated))
}

// bestSeeds is the number of models of each loss that [PresetBest] trains, with seeds of their own.
const bestSeeds = 4

// presetTrees returns the parameters of the trees of all models that are averaged. On large data, smaller
// steps were no better.
func presetTrees(small bool) string {
	if small {
		return symmetricTrees + " learning_rate=0.05 " + sampledTrees
	}
	return symmetricTrees + " learning_rate=0.1 " + sampledTrees
}

// presetEnds returns the parameters that determine when training ends: by early stopping, with twice the
// patience where the learning rate is half, or after what cross-validation found for sets of this kind, which
// is the default.
func presetEnds(small, validated bool) string {
	switch {
	case validated && small:
		return "num_iterations=2000 patience=100"
	case validated:
		return "num_iterations=1000 patience=50"
	}
	return "num_iterations=100"
}

// presetLosses are the losses of the models that are averaged. Their errors differ.
var presetLosses = []string{"lambdarank", "rank_xendcg", "query_rmse", "yetirank"}

// parametersOfMean are parameters of the loss and the kind of trees, and those that a mean cannot keep. If
// the user sets one of them, the preset trains one model.
var parametersOfMean = []string{"objective", "num_models", "model_objectives",
	"grow_policy", "num_leaves", "max_depth", "input_model", "boosting", "constraint"}

// OneModel returns the reason why [PresetAuto] and [PresetBest] choose one model instead of the mean of
// models with several losses, and "" if they choose the mean. given has the names of the user's settings.
// Whether the mean helps on data with categories has not been measured.
func OneModel(p *booster.Params, m *dataset.Meta, given ...string) string {
	for _, name := range given {
		if slices.Contains(parametersOfMean, name) {
			return name + " is given"
		}
		lacks := func(loss string) bool { return !objectiveFits(loss, []string{name}) }
		if i := slices.IndexFunc(presetLosses, lacks); i >= 0 {
			return name + " is given, which objective=" + presetLosses[i] + " lacks"
		}
	}
	switch {
	case m.InitialScores != nil:
		return "the data has initial scores"
	case len(m.Dictionaries) > 0 || p.CategoricalFeature != "":
		return "features are categorical"
	case p.Boosting != booster.GBDT:
		return "boosting=" + p.Boosting
	}
	return ""
}

// presetMembers returns the settings of the models whose mean [choosePreset] chooses for the data, one for
// each loss.
func presetMembers(m *dataset.Meta) (all [][]param.Setting) {
	trees := presetTrees(taughtRows(m) <= smallRows)
	for _, name := range presetLosses {
		all = append(all, written("objective="+name+" "+trees))
	}
	return all
}

// taughtRows returns the number of rows of all peers in queries with different labels. Nothing is learned
// from the other queries.
func taughtRows(m *dataset.Meta) (rows int) {
	for query, q := range m.Queries {
		if m.HasPairs(query) {
			rows += q.Len
		}
	}
	return m.Part.Group().SumOf(rows)
}

// objectiveFits reports whether an objective uses all parameters of objectives that the user has set, so none
// of them is ignored.
func objectiveFits(name string, given []string) bool {
	all := objective.DefaultAllParams()
	table := objective.Table(&all)
	return !slices.ContainsFunc(given, func(g string) bool {
		return g == "model_objectives" || table.Find(g) != nil && !objective.Uses(name, g)
	})
}

// ApplyPreset sets on p the parameters that the named preset chooses for the data, except those in given,
// which the user has set. It returns the parameters that it sets. It does not validate p; training does,
// because it knows the caller's own metrics and objective.
func ApplyPreset(name string, p *booster.Params, m *dataset.Meta, validated bool,
	given ...string) ([]param.Setting, error) {
	// each has no effect without the other
	bagging := []string{"bagging_fraction", "bagging_freq"}
	if slices.ContainsFunc(bagging, func(name string) bool { return slices.Contains(given, name) }) {
		given = append(slices.Clone(given), bagging...)
	}
	if slices.Contains(given, "learning_rates") {
		given = append(slices.Clone(given), "learning_rate")
	}
	chosen := choosePreset(name, p, m, validated, given...)
	chosen = slices.DeleteFunc(chosen, func(s param.Setting) bool {
		return slices.Contains(given, s.Name) || s.Name == "objective" && !objectiveFits(s.Value, given)
	})
	q := *p
	if _, err := q.Table().Apply(chosen); err != nil {
		return nil, err
	}
	*p = q
	return chosen, nil
}
