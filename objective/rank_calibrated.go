package objective

import (
	"errors"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// calibrated ranks by probabilities that stay right: with the label y as the probability that a document is
// good, and C = Σ y over the query,
//
//	p = 1/(1+e^-s),  q_i = p_i / Σ p_j
//	L = -Σ ((1-α)·(y_i·log p_i + (1-y_i)·log(1-p_i)) + α·y_i·log q_i)
//	λ_i = (1-α)·(p_i - y_i) + α·(1-p_i)·(C·q_i - y_i)
//	h_i = (1-α)·p_i·(1-p_i) + α·(1-p_i)·(y_i·p_i + C·q_i·(1-p_i)·(1-q_i))
//
// so that both parts are least where p is the probability of the label, while a part of softmax, for which
// only the order counts, would move scores from there. (Bai et al., Regression Compatible Listwise Objectives
// for Calibrated Ranking with Binary Relevance, arXiv 2211.01494, equations 9 and 10; without their division
// by C, which varies with the labels, the expected λ of the second part is exactly zero there. h leaves out
// the only negative term.)
type calibrated struct {
	alpha       float64
	fromAverage bool
}

func calibratedTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "rank_calibrated_share", Group: groupPointwise,
			Help:  "Share of the listwise part in objective=rank_calibrated. The other part is that of cross_entropy.",
			Value: bind.Float(&p.RankCalibratedShare, bind.AtLeast(0), bind.AtMost(1))},
	}
}

func (*calibrated) Name() string { return "rank_calibrated" }

func (c *calibrated) Prepare(data *dataset.Meta) error {
	return checkLabels(data, func(label float64) error {
		if label >= 0 && label <= 1 {
			return nil
		}
		return errors.New("objective=rank_calibrated is for labels from 0 to 1; divide grades by the largest " +
			"one, or use lambdarank and calibrate its model")
	})
}

func (c *calibrated) Gradients(dst Gradients, q Query) {
	good, total := 0.0, 0.0
	for i, s := range q.Scores {
		dst.Lambda[i] = sigmoid(s)
		total += dst.Lambda[i]
		good += q.Labels[i]
	}
	total = max(total, math.SmallestNonzeroFloat64) // all sigmoids may underflow
	for i, p := range dst.Lambda {
		y, other := q.Labels[i], 1-p
		inList := float64(good * (p / total))
		dst.Lambda[i] = float64((1-c.alpha)*(p-y)) + float64(float64(c.alpha*other)*(inList-y))
		list := float64(y*p) + float64(float64(inList*other)*(1-p/total))
		dst.Hessian[i] = float64(other * (float64((1-c.alpha)*p) + float64(c.alpha*list)))
	}
	multiply(dst, q.Weights)
}

// Probability implements [Probable].
func (*calibrated) Probability(score float64) float64 { return sigmoid(score) }

// InitialScore implements [Initial]: the score whose p is the mean label.
func (c *calibrated) InitialScore(data *dataset.Meta) float64 {
	return (&logistic{fromAverage: c.fromAverage, sigma: 1}).InitialScore(data)
}
