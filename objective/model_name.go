package objective

import "slices"

// custom is the name by which LightGBM refers to an objective that it does not know.
const custom = "custom"

// lightgbmObjectives are the objectives of LightGBM 4 with one score for a document whose names it loads
// without parameters (it does not load "binary" without). The last five come with a transformation of scores,
// which LightGBM applies unless it is asked for raw scores.
var lightgbmObjectives = []string{
	"lambdarank", "rank_xendcg", "regression", "regression_l1", "huber", "fair", "quantile", "mape", custom,
	"poisson", "gamma", "tweedie", "cross_entropy", "cross_entropy_lambda",
}

// modelName returns what the file of a model says its objective was, given [Objective.Name]. For a
// built-in objective that is its entry's ModelName. The name of a user's own objective is written
// as it is if LightGBM has an objective of that name: programs that load the file then transform
// scores as they do for that one. Any other name becomes "custom", because LightGBM refuses to load
// a model with an objective that it does not know; for "custom" it leaves scores as they are.
//
// [ModelNameOf] knows the parameters of the objective too.
func modelName(name string) string {
	if e := find(name); e != nil {
		return e.ModelName
	}
	if slices.Contains(lightgbmObjectives, name) {
		return name
	}
	return custom
}

// ModelNameOf is like modelName, for an objective. It also returns the parameters that LightGBM needs, such
// as the steepness in "binary sigmoid:2".
func ModelNameOf(o Objective) string {
	if named, ok := o.(interface{ modelName() string }); ok {
		return named.modelName()
	}
	return modelName(o.Name())
}
