package objective

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// xendcg is the cross entropy of two distributions over the documents of a query: the softmax ρ of
// the scores, and a distribution p of the gains that is drawn again in each iteration:
//
//	φ_i = gain_i + 1 - u_i,  u_i uniform on [0, 1),  p_i = φ_i / Σ φ
//	L = -Σ p_i·log ρ_i
//
// (Bruch, An alternative cross entropy loss for learning-to-rank, WWW 2021.) With gains 2^grade - 1,
// φ is LightGBM's 2^grade - u. The step is not Newton's with the diagonal of the Hessian, but with an
// approximation to its inverse (RankXENDCG in LightGBM's rank_objective.hpp), which gives the lambdas
// two further terms:
//
//	l_i = ρ_i - p_i                          a_i = l_i / (1-ρ_i)
//	m_i = ρ_i·Σ_{j≠i} a_j                    b_i = m_i / (1-ρ_i)
//	λ_i = l_i + m_i + ρ_i·Σ_{j≠i} b_j        h_i = ρ_i·(1-ρ_i)
//
// A query of one document has no derivatives. One of several documents has some even if all have the
// same gain, because φ is drawn.
//
// Only one document can have ρ > 1/2, and a_i and b_i of that one may be large beyond the precision of
// the others. Its 1-ρ is therefore the sum of the others' ρ, and sums over the others are kept apart,
// where LightGBM subtracts from 1 and from the sum over all documents, and gets 0/0 if ρ rounds to 1.
type xendcg struct {
	labelGain metric.Gain

	gain    []float64 // by row
	scratch reuse.Pool[xendcgScratch]
}

// xendcgScratch holds values by index, and is reused for the next query.
type xendcgScratch struct{ rho, a, b []float64 }

// leastRho is the smallest ρ, so that no score is so low that 1-ρ of another document is 0.
const leastRho = 1e-290

func (x *xendcg) Name() string { return "rank_xendcg" }

func (x *xendcg) Prepare(data *dataset.Meta) error {
	if err := checkLabels(data, x.labelGain.Check); err != nil {
		return err
	}
	x.gain = make([]float64, data.NumRows())
	for row, label := range data.Labels {
		x.gain[row] = x.labelGain.Of(label)
	}
	return nil
}

func (x *xendcg) Gradients(dst Gradients, q Query) {
	n := len(q.Scores)
	if n < 2 {
		clear(dst.Lambda)
		clear(dst.Hessian)
		return
	}
	s := x.scratch.Get()
	defer x.scratch.Put(s)
	s.rho, s.a, s.b = reuse.Slice(s.rho, n), reuse.Slice(s.a, n), reuse.Slice(s.b, n)
	x.target(s.b, q)
	top, _ := pairwise.Softmax(s.rho, q.Scores)
	s.derivatives(dst, s.b, top)
	multiply(dst, q.Weights)
}

// target sets p to a randomly drawn distribution.
func (x *xendcg) target(p []float64, q Query) {
	draws, sum := q.Draws(drawXENDCG), 0.0
	for i, gain := range x.gain[q.First : q.First+len(p)] {
		p[i] = gain + (1 - draws.Uniform(i)) // above 0: u is below 1
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

// derivatives sets dst, given p in the memory of s.b and the document of the largest score.
func (s *xendcgScratch) derivatives(dst Gradients, p []float64, top int) {
	rest, others := 0.0, 0.0 // sums of ρ and of a over all documents but the top one
	for i := range s.rho {
		s.rho[i] = max(s.rho[i], leastRho)
		dst.Lambda[i], dst.Hessian[i] = s.rho[i]-p[i], float64(s.rho[i]*(1-s.rho[i]))
		if i != top {
			s.a[i] = dst.Lambda[i] / (1 - s.rho[i])
			rest += s.rho[i]
			others += s.a[i]
		}
	}
	s.a[top] = dst.Lambda[top] / rest
	others = s.term(dst, s.b, s.a, others, rest, top)
	s.term(dst, s.a, s.b, others, rest, top)
}

// term adds m_i = ρ_i·Σ_{j≠i} values_j to the lambdas, and sets next to m_i/(1-ρ_i). others is the sum
// of the values of all documents but the top one, and rest is the sum of their ρ. It returns the sum of next
// over these documents.
func (s *xendcgScratch) term(dst Gradients, next, values []float64, others, rest float64,
	top int) (sum float64) {
	for i, rho := range s.rho {
		if i == top {
			continue
		}
		m := float64(rho * (others - values[i] + values[top]))
		dst.Lambda[i] += m
		next[i] = m / (1 - rho)
		sum += next[i]
	}
	m := float64(s.rho[top] * others)
	dst.Lambda[top] += m
	next[top] = m / rest
	return sum
}
