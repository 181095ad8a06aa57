package objective

import (
	"errors"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
)

// givenPairs is the logistic loss of the pairs that the data has ([dataset.Meta].Pairs), whatever the grades:
//
//	L = Σ w·log(1 + e^-(s_better - s_worse))
//
// It is PairLogit of CatBoost, and RankNet's loss.
type givenPairs struct{ data *dataset.Meta }

func (*givenPairs) Name() string { return "pairs" }

// errNoPairs means that the data has no pairs.
var errNoPairs = errors.New(
	"objective=pairs needs pairs of documents: give pairs=FILE to train, which alone reads them")

func (g *givenPairs) Prepare(data *dataset.Meta) error {
	g.data = data
	if err := checkLabels(data, checkFinite); err != nil {
		return err
	}
	if len(data.Pairs) == 0 {
		return errNoPairs
	}
	return nil
}

func (g *givenPairs) Gradients(dst Gradients, q Query) {
	clear(dst.Lambda)
	clear(dst.Hessian)
	for _, p := range g.data.PairsOf(q.Number) {
		e := exact.Exp(-max(q.Scores[p.Better]-q.Scores[p.Worse], q.Scores[p.Worse]-q.Scores[p.Better]))
		wrong, right := e/(1+e), 1/(1+e) // of the probabilities of both orders; neither loses its digits
		lambda, hessian := float64(p.Weight*wrong), float64(p.Weight*float64(wrong*right))
		if q.Scores[p.Better] < q.Scores[p.Worse] {
			lambda = float64(p.Weight * right)
		}
		dst.Lambda[p.Better] -= lambda
		dst.Lambda[p.Worse] += lambda
		dst.Hessian[p.Better] += hessian
		dst.Hessian[p.Worse] += hessian
	}
	multiply(dst, q.Weights)
}
