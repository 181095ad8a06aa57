// Package xgboost reads and writes XGBoost's models: the files of save_model in JSON and UBJSON,
// and the dumps of get_dump(dump_format="json"), which Elasticsearch and OpenSearch load. It reads
// files of XGBoost 1.0 to 3.x, and 1.7 to 3.x read what it writes.
//
// # How XGBoost scores
//
// Values, split conditions, leaves and sums are float32. A row goes left ("yes") if x < condition, and to the
// default side if x is NaN. The score is the base score plus the leaves, added in order. Objectives such as
// binary:logistic transform the score; in this package, scores are those before the transformation
// (output_margin=True).
//
// # What a model becomes
//
// A [tree.Ensemble] compares float64 numbers by x <= threshold, while XGBoost first rounds values
// to float32. A condition c becomes the threshold that sends every float64 to the same side as
// XGBoost: the midpoint between c and the float32 below it (see Rounded in
// io/model/internal/engine). So every row reaches the leaves that it reaches in XGBoost. All
// splits have the missing type MissingNaN and the default side of the file.
//
// Leaves are the float32 numbers of the file. Sums are float64 and more exact than XGBoost's: scores differ
// by the rounding of XGBoost's sums, which is at most n·2^-24·Σ|leaf| for n trees. Adding the leaves in
// float32 in order gives XGBoost's scores exactly, except for dart, where this is approximate because its
// weights are multiplied into the leaves.
//
// A base score other than 0 becomes a first tree with one leaf. Its value is the base score before
// the transformation of the objective: log(p/(1-p)) for logistic objectives, the logarithm for
// count:poisson, reg:gamma, reg:tweedie and survival:cox, and the number itself for the others.
//
// All trees count, including those after best_iteration; a remark says so. Gains are loss_changes, weights
// are sums of Hessians, and internal values are base_weights. XGBoost stores no row counts: they are zero.
// The features of a model without feature names are called f0, f1, …, as in XGBoost.
//
// Objectives get LightGBM's names: rank:* becomes lambdarank, reg:squarederror regression,
// binary:logistic "binary sigmoid:1", and so on.
//
// # What is refused
//
// Boosters other than gbtree and dart (gblinear), more than one class or target, vector leaves, and unknown
// objectives.
//
// # Categories
//
// Node k of categories_nodes is a categorical split (split_type 1). Its categories are categories_sizes[k]
// numbers of categories, from categories_segments[k] on. A row goes right if its value, without its fraction,
// is one of them; to the default side if it is NaN; and otherwise left, as do negative values and those from
// 2^24 on (XGBoost's src/common/categorical.h). A split here sends its categories left and all else right, so
// the children change places. XGBoost 3.1 and newer keep the categories of data frames in "cats" of the
// model, which become Dictionaries.
//
// # Dumps
//
// A dump is an array of trees, or an object {"objective": ..., "splits": [trees]}. A split has
// nodeid, split (a feature name), split_condition, yes, no, children (two) and missing, which is
// the same as no if it is absent. A leaf has nodeid and leaf. depth, and gain and cover of
// with_stats, are optional; other keys are refused.
//
// A dump has no base score, so scores lack it. It also has no list of features: the features are the names
// that occur. If all names are f or Column_ followed by a number, each feature is in the column of its
// number; otherwise features are in the order in which they occur. OpenSearch's "missing_as_zero" is
// supported: NaN then goes to the same side as 0.
package xgboost

import (
	"bytes"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// ErrFormat: the file is not a valid XGBoost model.
var ErrFormat = document.Kind(document.ErrFormat, "not a sound XGBoost model")

// Form is one of the forms of a model file.
type Form int

// The forms.
const (
	Dump   Form = iota // as get_dump(dump_format="json") makes it, for Elasticsearch and OpenSearch
	JSON               // as save_model("model.json") makes it
	UBJSON             // as save_model("model.ubj") makes it; it is only read
)

// Is reports whether data, the content of a file, looks like a model in the given form. Every JSON array, and
// every JSON object without the keys of a save_model file, looks like a dump.
func Is(data []byte, form Form) bool {
	opening := document.Opening(data)
	model := opening == '{' && bytes.Contains(data, []byte(`"learner"`))
	switch form {
	case UBJSON:
		return document.IsUBJSON(data)
	case JSON:
		return model
	default:
		return opening == '[' || opening == '{' && !model
	}
}
