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
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/random"
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
	Number  int       // number of the query in the data, or in the peer's part of it, from 0
	First   int       // row of its first document
	Labels  []float64 // relevance grades, by index
	Weights []float64 // by index; nil if all documents weigh 1
	Scores  []float64 // sums of initial scores and trees so far, by index

	Iteration int    // number of the tree that the gradients are for, from 1
	Seed      uint64 // parameter seed of the training run; [Query.Draws] uses it

	// Canceled reports whether the training run was canceled. Nobody then needs the derivatives, and an
	// objective that takes long for a query may return at once. It may be nil.
	Canceled func() bool

	before int // number of queries of the peers before this one
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

// Whole is an [Objective] that computes the gradients of all queries at once, such as one that another
// process computes. Training calls All once in each iteration instead of Gradients for each query,
// from one goroutine.
type Whole interface {
	Objective

	// All writes the lambda and the Hessian of every row, by the rules of [Objective.Gradients], to dst,
	// which has an entry for each row. An error ends training. With bagging, All also computes the rows of
	// queries that are not in the bag, which are not used.
	All(dst Gradients, r Round) error
}

// Round is the input of a [Whole] in an iteration.
type Round struct {
	Scores    []float64   // by row: sums of initial scores and trees so far. They are only read, and not kept
	Iteration int         // number of the tree that the gradients are for, from 1
	Seed      uint64      // parameter seed of the training run
	Canceled  func() bool // as in [Query]
}

// Draws are random numbers that an objective may use for one query in one iteration. Each number is
// a hash of
//
//	(seed, iteration, number of the query, purpose, index)
//
// and nothing else: the same key gives the same number whenever and wherever it is requested, so the model
// does not depend on the number of threads, on the order in which queries are processed, or on which queries
// are left out by bagging. Numbers of different keys are independent for all practical purposes. There is no
// state to keep, and no call allocates.
type Draws struct {
	key random.Key
}

// Draws returns the random numbers for one purpose, such as the noise on scores or the choice of
// pairs. An objective that draws for several purposes, or several times for one (permutation 0, 1,
// 2, ...), numbers them as it likes: different purposes have different numbers.
func (q Query) Draws(purpose int) Draws {
	return Draws{random.New(q.Seed, random.Objective, q.Iteration).Key(q.before + q.Number).Key(purpose)}
}

// Uint64 returns 64 random bits. index is any number; for draws by document it is the document's
// index in the query.
func (d Draws) Uint64(index int) uint64 { return d.key.Uint64(index) }

// Uniform returns a number that is uniform on [0, 1), a multiple of 2^-53. It has the same key, and
// so the same randomness, as Uint64(index).
func (d Draws) Uniform(index int) float64 { return d.key.Float64(index) }

// The purposes for which built-in objectives draw. Each has numbers of its own, so that the objectives of a
// weighted sum draw independently. Models are reproducible only if the values never change: do not renumber.
const (
	drawXENDCG   = 1
	drawTies     = 2
	drawPairs    = 3
	drawYetiRank = 1 << 20 // and the following, one for each permutation
)

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
