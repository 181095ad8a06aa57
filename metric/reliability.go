package metric

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
)

// Outcome is a document with a probability: its weight, and the part of the weight for which the event
// happened.
type Outcome struct{ Probability, Weight, Good float64 }

// Reliability says how well probabilities agree with what happened. Documents count by the weights of their
// queries.
type Reliability struct {
	// expected calibration error: the mean over documents of |mean probability - share of events| of their bin
	ECE     float64
	LogLoss float64 // the mean of -log of the probability of what happened
	Brier   float64 // the mean squared difference of probability and what happened
	Bins    []ReliabilityBin
}

// ReliabilityBin is a group of documents of similar probabilities: their number, their mean probability, and
// their share of events.
type ReliabilityBin struct{ Documents, Probability, Events float64 }

// reliabilityBins is the number of bins, as of Guo et al., On calibration of modern neural networks, ICML
// 2017. Here bins have equally many documents, since rare events have low probabilities alone.
const reliabilityBins = 15

// NewReliability judges outcomes, which it sorts. There may be none, and their order does not matter.
func NewReliability(rows []Outcome) *Reliability {
	rows = slices.DeleteFunc(rows, func(o Outcome) bool { return o.Weight == 0 })
	slices.SortFunc(rows, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Probability, b.Probability), cmp.Compare(a.Weight, b.Weight),
			cmp.Compare(a.Good, b.Good))
	})
	shareTies(rows)
	r, total := new(Reliability), 0.0
	for i := range reliabilityBins {
		var bin ReliabilityBin
		for _, o := range rows[len(rows)*i/reliabilityBins : len(rows)*(i+1)/reliabilityBins] {
			p, bad := o.Probability, o.Weight-o.Good
			bin.Documents += o.Weight
			bin.Probability += float64(o.Weight * p)
			bin.Events += o.Good
			r.LogLoss -= weighted(o.Good, p) + weighted(bad, 1-p)
			r.Brier += float64(o.Good*float64((1-p)*(1-p))) + float64(bad*float64(p*p))
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

// shareTies gives sorted documents of one probability, as leaves have many, the share of events that they
// have together: otherwise an order among them would decide which bins events are in.
func shareTies(rows []Outcome) {
	for from, to := 0, 0; from < len(rows); from = to {
		weight, good := 0.0, 0.0
		for ; to < len(rows) && rows[to].Probability == rows[from].Probability; to++ {
			weight += rows[to].Weight
			good += rows[to].Good
		}
		if to == from+1 {
			continue // free of rounding
		}
		for i := from; i < to; i++ {
			rows[i].Good = float64(rows[i].Weight * float64(good/weight))
		}
	}
}

// weighted returns w·log p, with p at least 1e-15 as in LightGBM's binary_logloss.
func weighted(w, p float64) float64 { return float64(w * exact.Ln(max(p, 1e-15))) }

// ofReliability is a metric of the probabilities of documents, of which less is better.
type ofReliability struct {
	name string
	of   func(*Reliability) float64
}

// ofDocuments are these metrics.
var ofDocuments = []ofReliability{
	{"ece", func(r *Reliability) float64 { return r.ECE }},
	{"log_loss", func(r *Reliability) float64 { return r.LogLoss }},
	{"brier", func(r *Reliability) float64 { return r.Brier }},
}

// OfDocuments returns the name of the metric of the probabilities of documents that a spec such as "ece" or
// "ece@click" names, and the label, if it names one. Such metrics have no entry in the register of metrics of
// rankings; is is false for these.
func OfDocuments(spec string) (name, label string, is bool) {
	name, label = cutLabel(spec)
	name = strings.ToLower(name)
	is = slices.ContainsFunc(ofDocuments, func(m ofReliability) bool { return m.name == name })
	return name, label, is
}

// Of returns the value of the metric of that name.
func (r *Reliability) Of(name string) float64 {
	for _, m := range ofDocuments {
		if strings.EqualFold(m.name, name) {
			return m.of(r)
		}
	}
	return math.NaN()
}

// documentMetric judges scores by the probabilities that they stand for. It is made by [DocumentMetrics].
type documentMetric struct {
	Metric // of rankings: it lends its convention
	ofReliability
	*documents
	named string // label in its name; empty: none
}

// documents judges scores by the probabilities that they stand for, for several metrics.
type documents struct {
	label       string // of which the probabilities are; empty: the first
	probability func(score float64) float64
}

// DocumentMetrics returns the metrics of the probabilities of documents, given the label of which they are,
// "" for the first, and the function that makes probabilities of scores. Labels are from 0 to 1, the share of
// the event. They are a [Whole] each. Those of a label have two names, such as "ece" and "ece@click".
func DocumentMetrics(label string, probability func(score float64) float64) (all []Metric) {
	d := &documents{label, probability}
	names := []string{""}
	if label != "" {
		names = append(names, label)
	}
	for _, m := range ofDocuments {
		for _, name := range names {
			all = append(all, documentMetric{NDCG(Default(), 0), m, d, name})
		}
	}
	return all
}

// LessIsBetter reports whether a lower value of the metric is better.
func LessIsBetter(m Metric) bool {
	_, is := m.(documentMetric)
	return is
}

func (m documentMetric) Name() string { return ofLabel(m.name, m.named) }

var errNoProbability = errors.New("probabilities are judged by labels from 0 to 1")

// All implements [Whole].
func (m documentMetric) All(data *dataset.Meta, scores []float64) (float64, error) {
	r, err := m.judge(data, scores)
	if err != nil {
		return 0, err
	}
	return m.of(r), nil
}

// judge judges the scores of all rows.
func (d *documents) judge(data *dataset.Meta, scores []float64) (*Reliability, error) {
	data, err := data.WithLabels(d.label)
	if err != nil {
		return nil, err
	}
	rows := make([]Outcome, len(scores))
	for number, q := range data.Queries {
		list := listOf(data, number, scores)
		weight := list.weight()
		for i, y := range list.Labels {
			if !(y >= 0 && y <= 1) {
				return nil, data.LabelError(q.First+i, errNoProbability)
			}
			rows[q.First+i] = Outcome{d.probability(list.Scores[i]), weight, float64(weight * y)}
		}
	}
	return NewReliability(rows), nil
}
