package nnbaseline

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// listMLE is the negative logarithm of the probability that the model of Plackett and Luce, with the
// scores as its parameters, gives to the ideal order π, by descending label:
//
//	L = Σ_i (log Σ_{k≥i} e^s_π(k) - s_π(i)),
//	∂L/∂s_π(k) = Σ_{i≤k} e^s_π(k) / Σ_{j≥i} e^s_π(j) - 1
//
// Each step draws the order of documents of the same label again. (Xia et al., Listwise approach to
// learning to rank: theory and algorithm, ICML 2008, equations 7 and 8.)
type listMLE struct {
	ordered
	seed  uint64
	order []int32
	tails []float64 // log Σ_{k≥i} e^s_π(k), by rank i
}

func (l *listMLE) of(dst []float64, q query, scores []float64) float64 {
	l.arrange(q)
	n := len(scores)
	l.tails = reuse.Slice(l.tails, n)
	tail, loss := math.Inf(-1), 0.0
	for rank := n - 1; rank >= 0; rank-- {
		score := scores[l.order[rank]]
		tail = logAdd(tail, score)
		l.tails[rank] = tail
		loss += tail - score
	}
	above := math.Inf(-1) // log Σ_{i≤rank} e^-tails[i]
	for rank, index := range l.order {
		above = logAdd(above, -l.tails[rank])
		dst[index] = exact.Exp(scores[index]+above) - 1
	}
	return loss
}

// arrange draws the ideal order.
func (l *listMLE) arrange(q query) {
	key := random.New(l.seed, random.EqualGrades, q.step)
	l.order = reuse.Slice(l.order, len(q.labels))
	for i := range l.order {
		l.order[i] = int32(i)
	}
	slices.SortFunc(l.order, func(a, b int32) int {
		switch {
		case q.labels[a] > q.labels[b]:
			return -1
		case q.labels[a] < q.labels[b]:
			return 1
		case key.Uint64(q.first+int(a)) < key.Uint64(q.first+int(b)):
			return -1
		}
		return 1
	})
}

// logAdd returns log(e^a + e^b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(exact.Exp(b-a))
}
