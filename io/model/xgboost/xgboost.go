// Package xgboost reads and writes XGBoost's models: the files of save_model in
// JSON and UBJSON, and the dumps of get_dump(dump_format="json"), which
// Elasticsearch and OpenSearch load. Files of XGBoost 1.7 to 3.x are read, and
// what is written is read by them.
//
// # How XGBoost scores
//
// Values, split conditions, leaves and sums are float32. A row goes left ("yes")
// if x < condition, NaN to the default side. The score is the base score plus the
// leaves, added one after the other. Objectives such as binary:logistic transform
// it; what is meant here is the score before that (output_margin=True).
//
// # What a model becomes
//
// A [tree.Ensemble] compares float64 by x <= threshold. A condition c becomes the
// threshold that sends every float64 where XGBoost, which rounds it to float32
// first, sends it: the middle between c and the float32 below it (see
// internal/threshold, Rounded). Every row falls into the leaves that XGBoost sends
// it to. Splits have MissingNaN and the default side of the file.
//
// Leaves are the float32 of the file. Sums are float64 and more exact than
// XGBoost's: scores differ by the rounding of its sums, at most
// n·2^-24·Σ|leaf| for n trees. Summed in float32, in order, they are equal in
// every bit; of boosters of the kind dart, whose weights are multiplied into the
// leaves, only nearly so.
//
// A base score other than 0 stands as a first tree with one leaf, before the
// objective's transformation: log(p/(1-p)) for logistic ones, log for count:poisson,
// reg:gamma, reg:tweedie and survival:cox, itself for the others.
//
// All trees count, also those after best_iteration. Gains are loss_changes, weights
// are sums of Hessians, internal values are base_weights. XGBoost has no row counts:
// they are zero. A model without feature names has f0, f1, …, as in XGBoost.
//
// Objectives become LightGBM's names: rank:* lambdarank, reg:squarederror
// regression, binary:logistic "binary sigmoid:1", and so on.
//
// # What is refused
//
// Boosters other than gbtree and dart (gblinear), more than one class or target,
// vector leaves, categorical splits, and objectives that are not known.
//
// # Dumps
//
// A dump is an array of trees, or an object {"objective": ..., "splits": [trees]}.
// A split has nodeid, split (a feature name), split_condition, yes, no, children
// (two) and, unless it is to be "no", missing; a leaf has nodeid and leaf. depth, and
// gain and cover of with_stats, are read if they are there, and other keys refused. A
// dump has neither a base score nor a list of features: its scores lack the one,
// and as features it has the names that occur. Names that all are f or Column_
// with a number stand at these numbers; others in the order in which they
// occur. ("missing_as_zero" of OpenSearch is read: NaN goes where 0 goes.)
package xgboost

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// Kinds of faults in a model file, to be found with [errors.Is].
var (
	// ErrFormat: the file is not an XGBoost model, or not a sound one.
	ErrFormat = errors.New("not a sound XGBoost model")
	// ErrUnsupported: the model is of a kind that is not read.
	ErrUnsupported = errors.New("unsupported")
	// ErrName: a feature name that cannot be written.
	ErrName = errors.New("name cannot be written")
	// ErrValue: a number that float32 cannot hold.
	ErrValue = errors.New("number cannot be written")
)

// Error is a fault in a model file, with its place. Err wraps one of the errors
// above, or tells what is wrong with the JSON or UBJSON.
type Error struct {
	Path   string // of the file; empty if the model was read from a plain reader
	Offset int    // in bytes from the beginning of the file; 0 if the whole is meant, or in writing
	Where  string // in the document, such as learner.gradient_booster.name; empty for the whole
	Err    error
}

func (e *Error) Error() string {
	text := "xgboost: "
	if e.Path != "" {
		text += e.Path + ": "
	}
	if e.Offset > 0 {
		text += fmt.Sprintf("byte %d: ", e.Offset)
	}
	if e.Where != "" {
		text += e.Where + ": "
	}
	return text + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// placed makes an Error of one of document's.
func placed(err error) error {
	if fault := (*document.Error)(nil); errors.As(err, &fault) {
		err = fault.Err
		if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrFormat) {
			err = document.Also(err, ErrFormat)
		}
		return &Error{Offset: fault.Offset, Where: fault.Path, Err: err}
	}
	return &Error{Err: err}
}
