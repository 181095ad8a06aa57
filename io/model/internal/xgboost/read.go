package xgboost

import (
	"fmt"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Read reads a model in any of the forms of the package documentation. The ensemble is valid; see
// [tree.Ensemble.Validate]. Errors wrap a [*document.Error].
func Read(data []byte) (*tree.Ensemble, error) {
	return engine.Read("xgboost", data, func(e *tree.Ensemble, root document.Cursor) {
		if root.Has("learner") {
			readModel(e, root.Field("learner"))
		} else {
			readDump(e, root)
		}
	})
}

// readModel reads a model that save_model wrote.
func readModel(e *tree.Ensemble, learner document.Cursor) {
	param := learner.Field("learner_model_param")
	readFeatures(e, learner, decimal(param.Field("num_feature"), maxFeatures))
	single(param, "num_class")
	single(param, "num_target")

	name := learner.Field("objective").Field("name")
	o, known := objectives[name.Text()]
	if !known {
		name.Failf(document.ErrUnsupported, "objective %q", document.Clip(name.Text()))
		return
	}
	e.Objective = o.lightgbm
	readBaseScore(e, param.Field("base_score"), o.margin)
	model := readBooster(e, learner.Field("gradient_booster"))
	readBest(e, learner, model)
}

// readBest makes a remark if early stopping left trees after the best iteration in the file: all trees count
// here and in Booster.predict, but not in predict of XGBoost's estimators.
func readBest(e *tree.Ensemble, learner, model document.Cursor) {
	best := learner.Optional("attributes").Optional("best_iteration")
	trees := model.Field("trees").Len()
	parallel := max(1, decimal(model.Optional("gbtree_model_param").Optional("num_parallel_tree"), 1<<31-1))
	i, err := strconv.Atoi(best.Text())
	if err != nil || i < 0 || i >= trees/parallel-1 {
		return
	}
	kept := len(e.Trees) - trees + (i+1)*parallel // after a base score, which is a tree
	e.Remark = fmt.Sprintf("XGBoost's early stopping found iteration %d best, and XGBRanker.predict ends "+
		"there; here, as in Booster.predict, all %s count: num_iteration_predict=%d (in Python "+
		"num_iteration=%d) ends there", i, wording.Count(len(e.Trees), "tree"), kept, kept)
}

// maxFeatures limits the number of features that a file declares without naming them.
const maxFeatures = 1 << 20

// single refuses models with more than one class or target. XGBoost writes 0 for one class.
func single(param document.Cursor, key string) {
	c := param.Optional(key)
	if n := decimal(c, 1<<31-1); n > 1 {
		c.Failf(document.ErrUnsupported, "%s=%d: more than one score for a row", key, n)
	}
}

// decimal reads an integer from 0 to most that is written as a string, as XGBoost writes all parameters. It
// is 0 if c is at no value.
func decimal(c document.Cursor, most int64) int {
	text := c.Text()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		c.Failf(document.ErrNumber, "%q, want a whole number up to %d", document.Clip(text), most)
		return 0
	}
	return int(n)
}

func readFeatures(e *tree.Ensemble, learner document.Cursor, n int) {
	if names := learner.Optional("feature_names"); names.Len() > 0 {
		if names.Len() != n {
			names.Failf(document.ErrLength, "%s of %s", wording.Count(names.Len(), "name"),
				wording.Count(n, "feature"))
			return
		}
		for _, name := range names.Texts() {
			e.Features = append(e.Features, tree.Feature{Name: name})
		}
		return
	}
	for i := range n { // XGBoost's names of features without names
		e.Features = append(e.Features, tree.Feature{Name: "f" + strconv.Itoa(i)})
	}
}

// readBooster reads all trees, and returns the model that has them.
func readBooster(e *tree.Ensemble, booster document.Cursor) (model document.Cursor) {
	name := booster.Field("name")
	switch name.Text() {
	case "gbtree":
		model = booster.Field("model")
		readTrees(e, model, nil)
	case "dart":
		model = booster.Field("gbtree").Field("model")
		readTrees(e, model, booster.Field("weight_drop").Float32s(model.Field("trees").Len()))
	default:
		name.Failf(document.ErrUnsupported, "booster %q; gbtree and dart are read", document.Clip(name.Text()))
	}
	return model
}

// readTrees reads all trees. weights are factors of the trees' leaves; nil means 1.
func readTrees(e *tree.Ensemble, model document.Cursor, weights []float32) {
	trees := model.Field("trees")
	groups := model.Field("tree_info")
	for i, group := range groups.Int32s(trees.Len(), 0, 1<<31-1) {
		if group != 0 {
			groups.Failf(document.ErrUnsupported, "tree %d is of class %d", i, group)
		}
	}
	words := 0
	trees.Elements(func(i int, c document.Cursor) {
		n := readNodes(c, len(e.Features), &words)
		if weights != nil && i < len(weights) {
			n.weight = float64(weights[i])
		}
		e.Trees = append(e.Trees, n.tree(c))
	})
	readDictionaries(e, model)
}
