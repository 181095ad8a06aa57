package engine

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
)

// Parts of a model that an engine may be unable to represent, for use with [errors.Is].
var (
	ErrCategorical = errors.New("a categorical split")
	ErrZeroMissing = errors.New("a split that takes zeros for missing and sends them to the other side than " +
		"their neighbors")
	ErrMissing = errors.New("a split that sends missing values elsewhere")
	ErrLinear  = errors.New("linear leaves")
	ErrContext = errors.New("query context, which needs all documents of a query, and this target sees " +
		"one (to=go, c and java, and onnx with number_type=float64, have a function for a query); if the rows " +
		"will have it in columns, as lambdamart transform writes them, set context=precomputed")
	ErrAverage = errors.New("scores that are averages of the trees")
	ErrRange   = errors.New("a leaf value beyond the range of float32")
)

// Refusal is the error for a model that an engine cannot represent, with the first place in the model. It
// also wraps [fault.ErrUnsupported].
type Refusal struct {
	Engine string
	Tree   int    // number of the tree, from 0; -1 if the whole model is meant
	Node   int    // number of the node, from 0; -1 if no node is meant
	Detail string // more about the place; may be empty
	Err    error  // one of the errors above
}

func (r *Refusal) Error() string {
	where := "the model"
	if r.Tree >= 0 {
		where = fmt.Sprintf("tree %d", r.Tree)
	}
	if r.Node >= 0 {
		where += fmt.Sprintf(", node %d", r.Node)
	}
	text := fmt.Sprintf("%s cannot hold this model: %s has %v", r.Engine, where, r.Err)
	if r.Detail != "" {
		text += " (" + r.Detail + ")"
	}
	return text
}

func (r *Refusal) Unwrap() []error { return []error{r.Err, fault.ErrUnsupported} }
