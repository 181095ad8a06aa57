package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/metric"
)

// Reliability says how well the scores of a judgment, which are probabilities, agree with what happened. Documents
// count by the weights of their queries.
type Reliability struct {
	ECE     float64 // expected calibration error: the mean over documents of |mean probability - share of events| of their bin
	LogLoss float64 // the mean of -log of the probability of what happened
	Brier   float64 // the mean squared difference of probability and what happened
	Bins    []ReliabilityBin
}

// ReliabilityBin is a group of documents of similar probabilities.
type ReliabilityBin struct{ Documents, Probability, Events float64 } // number; mean probability; share of events

// reliabilityBins is the number of bins, as of Guo et al., On calibration of modern neural networks, ICML 2017. Here
// bins have equally many documents, since rare events have low probabilities alone.
const reliabilityBins = 15

// ErrNoProbabilities is wrapped by errors for scores that are not probabilities.
var ErrNoProbabilities = errors.New("ece, log_loss and brier judge probabilities, from 0 to 1; lambdamart calibrate " +
	"makes a model that has them")

// reliable collects outcomes for Reliability.
func (j *judge) reliable(l metric.List) error {
	weight := 1.0
	if len(l.Weights) > 0 {
		weight = l.Weights[0] // all are that of the query
	}
	for i, p := range l.Scores {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("query %s: score %v: %w", l.Query, p, ErrNoProbabilities)
		}
		o := outcome{score: p, weight: weight}
		if l.Labels[i] >= *j.options.Event {
			o.good = weight
		}
		j.outcomes = append(j.outcomes, o)
	}
	return nil
}

// reliability judges the outcomes. There may be none.
func reliability(rows []outcome) *Reliability {
	slices.SortStableFunc(rows, func(a, b outcome) int { return cmp.Compare(a.score, b.score) })
	r, total := new(Reliability), 0.0
	for i := range reliabilityBins {
		var bin ReliabilityBin
		for _, o := range rows[len(rows)*i/reliabilityBins : len(rows)*(i+1)/reliabilityBins] {
			bad := o.weight - o.good
			bin.Documents += o.weight
			bin.Probability += float64(o.weight * o.score)
			bin.Events += o.good
			r.LogLoss -= weighted(o.good, o.score) + weighted(bad, 1-o.score)
			r.Brier += float64(o.good*float64((1-o.score)*(1-o.score))) + float64(bad*float64(o.score*o.score))
		}
		if bin.Documents > 0 {
			r.ECE += math.Abs(bin.Probability - bin.Events)
			total += bin.Documents
			bin.Probability, bin.Events = bin.Probability/bin.Documents, bin.Events/bin.Documents
			r.Bins = append(r.Bins, bin)
		}
	}
	r.ECE, r.LogLoss, r.Brier = r.ECE/total, r.LogLoss/total, r.Brier/total
	return r
}

// weighted returns w·log p, with p at least 1e-15 as in LightGBM's binary_logloss.
func weighted(w, p float64) float64 { return float64(w * exact.Ln(max(p, 1e-15))) }
