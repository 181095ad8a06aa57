package objective

import (
	"errors"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/param"
)

// groupPointwise is the heading of the parameters' documentation.
const groupPointwise = "Pointwise objectives"

func pointwiseTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "boost_from_average", Group: groupPointwise,
			Help: "Begin at the best constant score, which is added to the leaves of the first tree, as in " +
				"LightGBM; for regression, binary, cross_entropy and rank_calibrated. Other rankers begin at 0.",
			Value: bind.Bool(&p.BoostFromAverage)},
	}
}

// Initial is an [Objective] whose training begins at a score other than 0. Training calls InitialScore after
// Prepare, unless the data has initial scores, and adds it to the leaves of the first tree.
type Initial interface {
	// InitialScore returns the score of all documents before the first tree. It must be finite, and the same on
	// all peers that have parts of the data.
	InitialScore(data *dataset.Meta) float64
}

// Probable is an [Objective] whose scores stand for probabilities that documents are good.
type Probable interface {
	// Probability returns the probability of a score.
	Probability(score float64) float64
}

// ProbabilityOf returns the function that makes probabilities of the scores that an objective learns, and
// the label of which they are, "" for the first; nil if scores do not stand for probabilities, as those of a
// sum of several objectives.
func ProbabilityOf(o Objective) (probability func(score float64) float64, label string) {
	if p, is := o.(Probable); is {
		return p.Probability, ""
	}
	if s, is := o.(*weightedSum); is && len(s.terms) == 1 {
		if p, is := s.unlabeled(0).(Probable); is {
			return p.Probability, s.labels[0]
		}
	}
	return nil, ""
}

// averageLabel returns the mean of the labels of all peers, by weight.
func averageLabel(data *dataset.Meta) float64 {
	sums := []float64{0, 0}
	data.Part.Group().Chain(sums, func() {
		for row, label := range data.Labels {
			w := 1.0
			if data.Weights != nil {
				w = data.Weights[row]
			}
			sums[0] += float64(w * label)
			sums[1] += w
		}
	})
	sum, total := sums[0], sums[1]
	if !(total > 0) {
		return 0
	}
	return sum / total
}

// regression is the squared error of each document by itself, that is, pointwise MART:
//
//	L = Σ ½·w·(s - y)²,  λ = w·(s - y),  h = w
//
// Training begins at the mean label. (Friedman, Greedy function approximation, Annals of Statistics
// 29, 2001; RegressionL2loss of LightGBM's regression_objective.hpp.)
type regression struct{ fromAverage bool }

func (regression) Name() string { return "regression" }

func (regression) Prepare(data *dataset.Meta) error { return checkLabels(data, checkSquare) }

// checkSquare accepts labels whose differences and sums are certainly finite.
func checkSquare(label float64) error {
	if err := checkFinite(label); err != nil {
		return err
	}
	if math.Abs(label) > 1e30 {
		return errors.New("labels beyond 1e30 are not for squared errors; scale them")
	}
	return nil
}

func (regression) Gradients(dst Gradients, q Query) {
	for i, s := range q.Scores {
		dst.Lambda[i], dst.Hessian[i] = s-q.Labels[i], 1
	}
	multiply(dst, q.Weights)
}

// InitialScore implements [Initial]: the mean label.
func (r regression) InitialScore(data *dataset.Meta) float64 {
	if !r.fromAverage {
		return 0
	}
	return averageLabel(data)
}

// logistic is the logistic loss of each document by itself. With the steepness σ, and the label y as
// the probability that the document is good,
//
//	z = 1/(1+e^(-σ·s)),  L = -Σ w·(y·log z + (1-y)·log(1-z)),
//	λ = w·σ·(z - y),  h = w·σ²·z·(1-z)
//
// binary has labels 0 and 1 and LightGBM's parameter sigmoid as σ (binary_objective.hpp);
// cross_entropy has labels from 0 to 1, and σ 1 (xentropy_objective.hpp). Training begins at the score
// whose z is the mean label. Scores stay raw: z is the probability of a score.
type logistic struct {
	fromAverage bool
	sigma       float64
	binary      bool
}

func (l *logistic) Name() string {
	if l.binary {
		return "binary"
	}
	return "cross_entropy"
}

// modelName returns the name with the parameter that LightGBM needs for binary: its steepness.
func (l *logistic) modelName() string {
	if l.binary {
		return fmt.Sprintf("binary sigmoid:%v", l.sigma)
	}
	return l.Name()
}

func (l *logistic) Prepare(data *dataset.Meta) error { return checkLabels(data, l.check) }

func (l *logistic) check(label float64) error {
	switch {
	case l.binary && label != 0 && label != 1:
		return errors.New("objective=binary is for labels 0 and 1; map grades to these, or use a ranking " +
			"objective such as lambdarank")
	case !(label >= 0 && label <= 1):
		return errors.New("objective=cross_entropy is for labels from 0 to 1; divide grades by the largest one, " +
			"or use a ranking objective such as lambdarank")
	}
	return nil
}

func (l *logistic) Gradients(dst Gradients, q Query) {
	sigma := l.sigma
	for i, s := range q.Scores {
		z := sigmoid(float64(sigma * s))
		dst.Lambda[i] = float64(sigma * (z - q.Labels[i]))
		dst.Hessian[i] = float64(float64(float64(sigma*sigma)*z) * (1 - z))
	}
	multiply(dst, q.Weights)
}

// Probability implements [Probable].
func (l *logistic) Probability(score float64) float64 { return sigmoid(float64(l.sigma * score)) }

// InitialScore implements [Initial]: the score whose z is the mean label. If all labels are 0 or all are 1,
// the mean is moved by 1e-15, as in LightGBM.
func (l *logistic) InitialScore(data *dataset.Meta) float64 {
	if !l.fromAverage {
		return 0
	}
	const least = 1e-15
	mean := min(max(averageLabel(data), least), 1-least)
	return exact.Ln(mean/(1-mean)) / l.sigma
}
