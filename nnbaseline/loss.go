package nnbaseline

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
)

// loss compares the scores of a query with its labels. A loss has memory of its own, and only one
// goroutine uses it.
type loss interface {
	// of returns the loss of a query, and writes its derivative by each score to dst, by index.
	of(dst []float64, q query, scores []float64) float64

	// teaches reports whether an order, or a value, can be learned from the labels of a query.
	teaches(labels []float64) bool

	// shiftable reports whether adding the same number to all scores leaves the loss as it is. Then the
	// derivative by the last bias is 0 except for rounding errors.
	shiftable() bool
}

// query is the input of a loss for a query.
type query struct {
	number int           // of the query in the data
	first  int           // row of its first document
	labels []float64     // by index
	step   int           // number of the training step, from 1; random draws depend on it
	stop   pairwise.Stop // ends the sums of pairs early
}

// newLoss returns the loss that p names.
func newLoss(p *Params) loss {
	switch p.Ranker {
	case RankNet:
		return &rankNet{sigma: p.Sigmoid, pairs: p.Pairs, seed: p.Seed}
	case LambdaRank:
		return &lambdaRank{sigma: p.Sigmoid, truncation: p.LambdarankTruncationLevel, gain: p.LabelGain}
	case ListNet:
		return &listNet{}
	case ListNetKL:
		return &listNet{divergence: true}
	case ListMLE:
		return &listMLE{seed: p.Seed}
	default:
		return squaredError{}
	}
}

// checkLabels returns an error for the first label that the loss cannot use.
func checkLabels(p *Params, data Data) error {
	if p.Ranker != LambdaRank {
		return nil
	}
	for row, label := range data.Meta.Labels {
		if err := p.LabelGain.Check(label); err != nil {
			return fmt.Errorf("nnbaseline: %s: label %v of row %d: %w", data.Name, label, row, err)
		}
	}
	return nil
}

// ordered is embedded in losses that learn an order: from queries that have two documents with different
// labels.
type ordered struct{}

func (ordered) teaches(labels []float64) bool {
	for _, label := range labels {
		if label != labels[0] {
			return true
		}
	}
	return false
}

func (ordered) shiftable() bool { return true }

// skippedQueries counts the training queries that a loss learns nothing from.
type skippedQueries struct {
	single int // with one document
	equal  int // others, whose labels are all equal
}

// teaching returns the numbers of the queries that the loss can learn from, and counts the others.
func teaching(l loss, data *dataset.Meta) (numbers []int32, skipped skippedQueries) {
	for number, q := range data.Queries {
		switch {
		case l.teaches(data.Labels[q.First : q.First+q.Len]):
			numbers = append(numbers, int32(number))
		case q.Len == 1:
			skipped.single++
		default:
			skipped.equal++
		}
	}
	return numbers, skipped
}

// softmax sets dst to e^x / Σ e^x, and returns log Σ e^x.
func softmax(dst, x []float64) float64 {
	largest, sum := slices.Max(x), 0.0
	for i, v := range x {
		dst[i] = exact.Exp(v - largest)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
	return largest + exact.Ln(sum)
}
