package nnbaseline

import "github.com/lambdamart/lambdamart/internal/reuse"

// listNet compares two probabilities that a document is ranked first, by its score s and by its label y, with
// P(z)_i = e^z_i / Σ e^z_j. The loss is their cross entropy
//
//	L = -Σ_i P(y)_i · log P(s)_i
//
// or their Kullback-Leibler divergence, which is smaller by the entropy of P(y) and so has the same
// derivative,
//
//	∂L/∂s_i = P(s)_i - P(y)_i.
//
// (Cao et al., Learning to rank: from pairwise approach to listwise approach, ICML 2007, section 5,
// with top-one probabilities and φ = exp.)
type listNet struct {
	ordered
	divergence bool
	target     []float64 // P(y)
}

func (l *listNet) of(dst []float64, q query, scores []float64) float64 {
	l.target = reuse.Slice(l.target, len(scores))
	logLabels := softmax(l.target, q.labels)
	logScores := softmax(dst, scores)
	loss := 0.0
	for i, target := range l.target {
		loss += float64(target * (logScores - scores[i]))
		if l.divergence {
			loss -= float64(target * (logLabels - q.labels[i]))
		}
		dst[i] -= target
	}
	return loss
}
