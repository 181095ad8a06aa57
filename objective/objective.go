// Package objective turns scores and relevance grades into gradients.
//
// # Vocabulary
//
//	row     number of a document in the whole data
//	index   number of a document within its query, in file order
//	rank    position of a document in its query by descending score, from 0
//	gain    worth of a relevance grade, such as 2^grade - 1
//	high    of two documents with different grades, the one with the larger; low is the other
//	rho     probability that the model gives to the wrong order of high and low: 1/(1+exp(σ(s_high - s_low)))
//	delta   change of nDCG if high and low swapped ranks
//	lambda  first derivative of the loss by a document's score. Scores go down along it:
//	        high documents have negative lambdas
//	Hessian second derivative of the loss by a document's score, never negative
//
// (Burges, From RankNet to LambdaRank to LambdaMART: An Overview, MSR-TR-2010-82,
// writes S_ij, λ_ij and |ΔNDCG|, and has scores go up along λ.)
package objective

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
)

// Objective is a loss over the documents of one query. Users of the library may
// implement their own; those here use nothing else.
//
// Training calls Prepare once, and then Gradients for every query of every
// iteration, from several goroutines at once but never for one query twice at a
// time. An objective whose results depend on its arguments and on what Prepare
// kept alone gives the same model on any number of threads.
type Objective interface {
	// Name is the word for the objective in a model file, such as "lambdarank".
	Name() string

	// Prepare checks that the labels suit the objective, and keeps what it
	// needs to know of each query.
	Prepare(data *dataset.Meta) error

	// Gradients writes the lambda and the Hessian of each document of q.
	// scores[i] is the present score of the document with index i.
	Gradients(dst Gradients, q Query, scores []float64)
}

// Gradients holds the derivatives of a query's loss, by index. Both slices have
// as many entries as the query has documents. The objective sets every entry:
// what the slices held before means nothing.
type Gradients struct {
	Lambda  []float64
	Hessian []float64
}

// Query is what an objective sees of a query.
type Query struct {
	Number  int       // of the query in the data
	First   int       // row of its first document
	Labels  []float64 // relevance grades, by index
	Weights []float64 // by index; nil if all weigh 1
}

// QueryOf returns query number n of the data.
func QueryOf(data *dataset.Meta, n int) Query {
	q := data.Queries[n]
	view := Query{Number: n, First: q.First, Labels: data.Labels[q.First : q.First+q.Len]}
	if data.Weights != nil {
		view.Weights = data.Weights[q.First : q.First+q.Len]
	}
	return view
}

// LabelError says that an objective cannot use a label.
type LabelError struct {
	Query string // id of the query
	Row   int    // of the document, from 0
	Label float64
	Err   error // why not, and what to do
}

func (e *LabelError) Error() string {
	return fmt.Sprintf("label %v of row %d (query %s): %v", e.Label, e.Row+1, e.Query, e.Err)
}

// Unwrap returns the reason.
func (e *LabelError) Unwrap() error { return e.Err }
