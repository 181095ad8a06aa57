// Package pairwise is the mathematics of pairs of documents that the objectives of trees and the
// losses of networks share:
//
//	Ranking    a query's documents by descending score
//	DCG        discounts of ranks, and the DCG of the best order
//	Swaps      LambdaRank's pairs and their weights, one by one
//	Documents  the sums of the derivatives of those pairs, fast
//	RankNet    the sums of RankNet's pairs: loss and derivatives
//
// together with the logistic functions and the bound [MaxRange] within which sums may use one
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

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

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
