// Package pairwise is the mathematics of pairs of documents that the objectives of trees and the
// losses of networks share:
//
//	Ranking    a query's documents by descending score
//	DCG        discounts of ranks, and the DCG of the best order
//	Swaps      LambdaRank's pairs and their weights, one by one
//	Documents  the sums of the derivatives of those pairs, fast
//	RankNet    the sums of RankNet's pairs: loss and derivatives
//
// together with softmax, the logistic functions and the bound [MaxRange] within which sums may use one
// exponential per document instead of one per pair. Results reach models: every operation is rounded as
// it is written, on every CPU.
//
// # The sums of Documents
//
// [Documents.Pairs] is the inner loop of training trees by LambdaRank. It uses AVX-512 or AVX2
// instructions where the CPU has them, and Go elsewhere or with the build tag purego. All implementations
// give the same bits, which the following formulas define.
//
// Documents are processed by rank. A pair is a document i of one of the first ranks and a document j of
// a later rank with another gain. With e_i and e_j their odds,
//
//	w = (gain_i - gain_j)·(discount_i - discount_j) / ((e_i + e_j)²·(offset + (score_i - score_j)))
//	x = w·e_low·(e_i + e_j)
//	y = |w·e_low|·e_high
//
// where low is the document of lower gain and high the other one. The first derivative x is positive
// where j is low: it is added to lambda_j and subtracted from lambda_i; y is added to both Hessians.
// No gap is negative, because scores descend. Operations are rounded one by one, from left to right.
//
// # Order of additions
//
// The rank i ascends, and for each i the rank j. The pair is added to the lambda and the Hessian of
// j immediately. The sums of i itself are kept in 8 lanes, rank j in lane j mod 8: one set of lanes for
// the lambdas of pairs in which j is low, one for those in which j is high, and two more for
// Hessians. In the end the lanes s0 to s7 of a set are added as
//
//	((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
//
// and the sum for high documents to the sum for low ones.
//
//	       rank  0   1   2   3   4   5   6   7   8   9 ...
//	i = 1            i   ·   ·   ·   ·   ·   ·   ·   ·     each · is a pair (i, j)
//	       lane          2   3   4   5   6   7   0   1
//
// The program in _generate, a module of its own, writes kernel_amd64.s and kernel_amd64.go.
package pairwise

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/wording"
)

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg pairwise

// Pairs adds all pairs with a document among the first truncation ranks to the documents' sums, and returns
// the sum of |x|. offset is the one in the formula of the package documentation. Pairs can be called once
// after each [Documents.Fill], because it overwrites gains.
func (d *Documents) Pairs(truncation int, offset float64) (sum float64) {
	return d.pairs(best, truncation, offset)
}

func (d *Documents) pairs(by kernel, truncation int, offset float64) (sum float64) {
	ranks := min(truncation, d.lastOther()+1)
	if by != inGo && ranks > 0 {
		return d.pairsInVectors(by, ranks, offset)
	}
	d.lists.forget()
	o := own{offset: offset}
	for i := range ranks {
		if d.Stop.At(i, d.n) {
			break
		}
		o.gain, o.odds, o.score, o.discount = d.gain[i], d.odds[i], d.score[i], d.discount[i]
		d.gain[i] = math.NaN() // so that it makes no pair with a later i
		p := d.lists.of(d.gain, i, o.gain)
		o.addBelow(&d.fields, p.below)
		o.addAbove(&d.fields, p.above)
		below, above := total(&o.lambdaBelow), total(&o.lambdaAbove)
		d.lambda[i] -= below + above
		d.hessian[i] += total(&o.hessianBelow) + total(&o.hessianAbove)
		sum += below - above
	}
	return sum
}

// lastOther returns the last rank whose gain differs from the last document's, or -1 if there is none. No
// later document makes a pair with documents after it.
func (d *Documents) lastOther() int {
	gain := d.gain[:d.n]
	rank := len(gain) - 1
	for rank >= 0 && gain[rank] == gain[len(gain)-1] {
		rank--
	}
	return rank
}

// pairsInVectors is like Pairs, for the given number of ranks, which is above 0. It subtracts the own sums of
// all documents at the end: a document gets no pair of an earlier one after its own.
func (d *Documents) pairsInVectors(by kernel, ranks int, offset float64) float64 {
	t := d.task(0, ranks, offset)
	t.lastGain, t.lastEnd = d.gain[d.n-1], inBlocks(d.lastOther()+1)
	for from := 0; from < ranks && !d.Stop.At(from, d.n); {
		to := min(ranks, from+stretch(d.n))
		t.rank, t.to = int64(from)*number, int64(to)*number
		by.add(d, &t)
		from = to
	}
	for i := range ranks {
		d.lambda[i] -= d.own[2*i]
		d.hessian[i] += d.own[2*i+1]
	}
	return t.sum
}

// task is the input of the assembly. It depends on the order of the fields. Ranks are in bytes from the
// beginning of a field.
type task struct {
	offset   float64
	lastGain float64 // gain of the last document
	sum      float64 // of |x|: the result
	end      int64   // of the blocks with documents
	lastEnd  int64   // of the blocks with a document whose gain differs from the last one's
	rank, to int64   // ranks of the documents whose pairs are added, at least one
	//lint:ignore U1000 the assembly keeps the sums of a document in it
	ofLanes [4 * lanes]float64
}

// task returns the task for ranks [from, to), with memory for the documents' own sums.
func (d *Documents) task(from, to int, offset float64) task {
	d.own = reuse.Slice(d.own, 2*to)
	end := inBlocks(d.n)
	return task{offset: offset, end: end, lastEnd: end, rank: int64(from) * number, to: int64(to) * number}
}

const number = 8 // bytes

// inBlocks returns the bytes of the blocks of lanes that hold n numbers.
func inBlocks(n int) int64 { return int64((n+lanes-1)/lanes) * lanes * number }

// own is the document i whose pairs are added, and their sums by lane.
type own struct {
	gain, odds, score, discount, offset float64

	lambdaBelow, lambdaAbove   [lanes]float64
	hessianBelow, hessianAbove [lanes]float64
}

// total adds up the lanes.
func total(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// kernel is an implementation of the sums of a document's pairs. All kernels give the same bits.
type kernel int

const (
	inGo kernel = iota
	avx2
	avx512
)

// best is the fastest kernel of this CPU and build.
var best = kernels()[len(kernels())-1]

func (k kernel) String() string { return [...]string{"Go", "AVX2", "AVX-512"}[k] }

// MaxRange bounds σ·(largest score - smallest score) for sums with one exponential per document: the
// square of the smallest odds, e^-600, is still a normal number.
const MaxRange = 300

// Distant reports whether scores that differ by spread are too far apart for sums with one exponential per
// document. It returns false for NaN, which any sum propagates.
func Distant(sigma, spread float64) bool { return sigma*spread > MaxRange }

// oddsOf returns exp(σ·(score - largest)). Of two documents, the one with odds e_low is ahead of the
// one with odds e_high with probability e_low / (e_high + e_low).
func oddsOf(sigma, score, largest float64) float64 {
	return exact.Exp(float64(sigma * (score - largest)))
}

// Logistic returns the sigmoid 1 / (1 + e^-x) and its antiderivative, the softplus log(1 + e^x). Both are
// computed from the same exponential, which cannot overflow.
func Logistic(x float64) (sigmoid, softplus float64) {
	if x < 0 {
		e := exact.Exp(x)
		return e / (1 + e), math.Log1p(e)
	}
	e := exact.Exp(-x)
	return 1 / (1 + e), x + math.Log1p(e)
}

// Softmax sets dst to e^x / Σ e^x, and returns the index of the largest x, and Σ e^(x - largest). The
// largest is subtracted from all first, so that nothing overflows.
func Softmax(dst, x []float64) (top int, sum float64) {
	for i, v := range x {
		if v > x[top] {
			top = i
		}
	}
	for i, v := range x {
		dst[i] = exact.Exp(v - x[top])
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
	return top, sum
}

// Stop reports whether sums are no longer needed; nil: they are. It is asked now and then while the pairs of
// a query are added. Once it reports true, the sums have no meaning.
type Stop func() bool

// stretchPairs is a number of pairs that takes some hundredths of a second. Usual queries have fewer, so that
// Stop is not asked within them. Tests make it small.
var stretchPairs = 1 << 24

// stretch returns the number of documents whose pairs with all n documents are added between two questions.
func stretch(n int) int { return max(1, stretchPairs/max(1, n)) }

// At reports whether to stop before the pairs of document i, counting from 0, with n documents.
func (s Stop) At(i, n int) bool { return s != nil && i > 0 && i%stretch(n) == 0 && s() }

// manyPairs is a number of pairs that takes some ten seconds of a CPU.
const manyPairs = 1e10

// Load is the number of pairs of some data, all of which are added up in each round.
type Load struct {
	Pairs float64       // of all queries
	Most  float64       // of the query with most pairs
	Query dataset.Query // that query
}

// LoadOf returns the load of data, given the number of pairs of a query whose labels are not all equal.
func LoadOf(data *dataset.Meta, pairs func(labels []float64) float64) (l Load) {
	for i, q := range data.Queries {
		if !data.HasPairs(i) {
			continue
		}
		n := pairs(data.Labels[q.First : q.First+q.Len])
		if l.Pairs += n; n > l.Most {
			l.Most, l.Query = n, q
		}
	}
	return l
}

// Truncated returns the number of pairs of n documents of which one is among the first ranks.
func Truncated(n, truncation int) float64 { return float64(float64(min(n, truncation)) * float64(n)) }

// Remark returns a warning that rounds take long, with the advice, or an empty text if they do not. round is
// what a round is called.
func (l Load) Remark(round, advice string) string {
	if l.Pairs <= manyPairs {
		return ""
	}
	const pairsPerSecond = 5e8 // of one CPU, roughly
	return fmt.Sprintf("%s has %.2g pairs of documents, which take a CPU up to about %s seconds: query %s, of "+
		"%s documents, has %.2g of them; %s, or divide long queries", round, l.Pairs,
		wording.Thousands(int64(l.Pairs/pairsPerSecond)), l.Query.ID, wording.Thousands(l.Query.Len), l.Most,
		advice)
}
