// Package objective turns scores and relevance grades into gradients.
//
// An [Objective] is a loss over the documents of one query. [Names] lists the built-in ones, and [New] makes
// one by name. A user's own objective needs no name here: it is passed to training as a value.
//
// # Vocabulary
//
//	row     number of a document in the whole data, from 0
//	index   number of a document within its query, in file order, from 0
//	rank    position of a document in its query by descending score, from 0
//	gain    worth of a relevance grade, such as 2^grade - 1
//	high    of two documents with different gains, the one with the larger; low is the other
//	rho     probability that the model gives to the wrong order of high and low: 1/(1+exp(σ(s_high - s_low)))
//	delta   change of nDCG if high and low swapped ranks
//	lambda  first derivative of the loss by a document's score. Scores move against it: high
//	        documents have negative lambdas
//	Hessian second derivative of the loss by a document's score, never negative
//
// Burges (From RankNet to LambdaRank to LambdaMART: An Overview, MSR-TR-2010-82) writes S_ij, λ_ij
// and |ΔNDCG|, and has scores move along λ.
package objective

import (
	"github.com/lambdamart/lambdamart/dataset"
)

// Objective is a loss over the documents of one query. Users of the library may implement their own, which
// training treats like those of this package.
//
// Training calls Prepare once, and then Gradients for every query of every iteration, from several goroutines
// at the same time but never for the same query.
//
// For the same model on any number of threads, what Gradients writes must depend on its argument and on what
// Prepare kept, and on nothing else: no memory of earlier calls that changes a result, no generator of random
// numbers shared by queries. [Query.Draws] returns random numbers that obey this rule. For the same model on
// any kind of CPU, floating-point sums of products must be written float64(a*b) + c, so that the compiler
// does not fuse them on some CPUs only.
type Objective interface {
	// Name is the name of the objective, such as "lambdarank". modelName derives from it what a
	// model file says.
	Name() string

	// Prepare checks that the labels suit the objective, returning an error for the first
	// that does not, and keeps what the objective needs to know of each query. data must not be
	// changed. Prepare may be called again, for a training run on other data.
	Prepare(data *dataset.Meta) error

	// Gradients writes the lambda and the Hessian of each document of q at its current score. It multiplies
	// them by the document's weight, if q has weights; an objective in which weights mean something else
	// documents that.
	Gradients(dst Gradients, q Query)
}

// Gradients holds the derivatives of a query's loss, by index. Both slices have as many entries as the query
// has documents. The objective sets every entry: what the slices held before means nothing. Entries must be
// finite and Hessians not negative. The slices belong to the caller, and an objective must not keep them.
type Gradients struct {
	Lambda  []float64
	Hessian []float64
}

// Query is the part of the data that an objective gets for a query in an iteration. The slices have one entry
// for each document of the query; they belong to the caller and must be neither changed nor kept.
type Query struct {
	Number  int       // number of the query in the data, or in the rank's part of it, from 0
	First   int       // row of its first document
	Labels  []float64 // relevance grades, by index
	Weights []float64 // by index; nil if all documents weigh 1
	Scores  []float64 // sums of initial scores and trees so far, by index

	Iteration int    // number of the tree that the gradients are for, from 1
	Seed      uint64 // parameter seed of the training run; [Query.Draws] uses it

	// Canceled reports whether the training run was canceled. Nobody then needs the derivatives, and an
	// objective that takes long for a query may return at once. It may be nil.
	Canceled func() bool

	before int // number of queries of the ranks before this one
}

// QueryOf returns query n of the data as objectives get it, except that the caller must set its scores,
// iteration and seed. The slices are parts of data's slices.
func QueryOf(data *dataset.Meta, n int) Query {
	q := data.Queries[n]
	view := Query{Number: n, First: q.First, Labels: data.Labels[q.First : q.First+q.Len]}
	_, view.before = data.Part.First()
	if data.Weights != nil {
		view.Weights = data.Weights[q.First : q.First+q.Len]
	}
	return view
}
