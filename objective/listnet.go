package objective

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// listNet compares two probabilities that a document is ranked first, by its score s and by its label y, with
// P(z)_i = e^z_i / Σ e^z_j:
//
//	L = -Σ P(y)_i·log P(s)_i,  λ_i = P(s)_i - P(y)_i,  h_i = P(s)_i·(1 - P(s)_i)
//
// (Cao et al., Learning to rank: from pairwise approach to listwise approach, ICML 2007, section 5, with
// top-one probabilities and φ = exp; h is the diagonal of the Hessian.) It is the same loss as
// ranker=listnet of networks. Queries of one document and queries of equal labels take part too: the former
// have zero derivatives, the latter pull their scores together.
type listNet struct{ targets reuse.Pool[[]float64] }

func (*listNet) Name() string { return "listnet" }

func (*listNet) Prepare(data *dataset.Meta) error { return checkLabels(data, checkFinite) }

func (l *listNet) Gradients(dst Gradients, q Query) {
	target := l.targets.Get()
	defer l.targets.Put(target)
	*target = reuse.Slice(*target, len(q.Labels))
	pairwise.Softmax(*target, q.Labels)
	pairwise.Softmax(dst.Lambda, q.Scores)
	for i, p := range dst.Lambda {
		dst.Lambda[i], dst.Hessian[i] = p-(*target)[i], float64(p*(1-p))
	}
	multiply(dst, q.Weights)
}
