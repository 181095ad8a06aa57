package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// Options bound the resources of judging. They do not affect results. The zero value suits most uses.
type Options struct {
	// Event, if not nil, is what the scores are probabilities of: the judgment has its Reliability.
	Event *tree.Event

	// Pairs, if not nil, returns the given pairs of the documents of the data, for the metric pair_agreement.
	Pairs func(*dataset.Meta) ([]dataset.Pair, error)

	Workers int  // goroutines; GOMAXPROCS if below 1
	Keep    bool // keep the order of the documents, for [Churn], which peers cannot do
}

// Judgment is the result of judging a ranking. The slices by query are in the order in which queries first
// appear. If peers share the data, all results are about the whole data; the slices by query have all queries
// on the first peer, and only its own queries on each other peer.
type Judgment struct {
	System    string
	Queries   []string        // ids
	Documents []int           // of each query, including those that are judged but not ranked
	Results   []metric.Result // one for each metric, in order
	Anomalies Anomalies

	// Scoring describes how the model's features matched the data; nil unless the ranking came from a model.
	Scoring *scoring.Summary

	// Reliability is of probabilities; nil unless [Options.Event] asked for it.
	Reliability *metric.Reliability

	kept *kept // nil unless [Options.Keep]
}

var (
	errNoRanking = errors.New("the Ranking is empty; make it with FromRows, FromScores, FromModel, " +
		"FromScoreFile, FromTable or FromRun")
	errNoMetric = errors.New("no metric; give at least one, such as metric.NDCG(metric.Default(), 10)")
)

// Judge judges a ranking by each metric. Queries are judged in parallel.
//
// Errors come from the source of the ranking and of [metric.Evaluator.Add]: one names the query of a grade
// that a metric cannot judge, and one wraps [metric.ErrNoDocumentIDs] if a convention orders equal scores by
// document id and there are no ids.
func Judge(ctx context.Context, r Ranking, metrics []metric.Metric, o Options) (*Judgment, error) {
	switch {
	case r.read == nil:
		return nil, errNoRanking
	case len(metrics) == 0:
		return nil, errNoMetric
	}
	j := &judge{Judgment: Judgment{System: r.System}, options: o, metrics: metrics}
	defer j.close()
	if err := r.read(ctx, j); err != nil {
		return nil, err
	}
	if err := j.join(); err != nil {
		return nil, err
	}
	j.Results = j.evaluator.Results()
	first := &j.Results[0]
	j.Anomalies.NoneRelevant = first.Queries > 0 && first.Empty == first.Queries &&
		!metric.ReadsPairs(metrics[0])
	if o.Event != nil {
		j.Reliability = metric.NewReliability(j.outcomes)
	}
	judged := j.Judgment // without the outcomes, whose memory a pointer to the judge would keep
	return &judged, judged.gather(j.part.Group())
}

// judge judges the lists of one ranking as they arrive.
type judge struct {
	Judgment
	options   Options
	metrics   []metric.Metric
	evaluator *metric.Evaluator
	outcomes  []metric.Outcome // of all documents, if Options.Event asks for them
	part      *dataset.Part    // this peer's part of the data; nil if it has all
}

// readsMore reports whether the event or a metric names a label, or a metric reads pairs.
func (j *judge) readsMore() bool {
	if j.options.Event != nil && j.options.Event.Label != "" {
		return true
	}
	return slices.ContainsFunc(j.metrics, func(m metric.Metric) bool {
		return metric.LabelOf(m) != "" || metric.ReadsPairs(m)
	})
}

// readsPairs reports whether a metric reads pairs.
func (j *judge) readsPairs() bool { return slices.ContainsFunc(j.metrics, metric.ReadsPairs) }

// reset discards all lists: reading begins, or begins again.
func (j *judge) reset() {
	j.close()
	j.evaluator = metric.NewEvaluator(j.metrics, j.options.Workers, j.part)
	j.Queries, j.Documents, j.outcomes = nil, nil, nil
	j.Anomalies = Anomalies{}
	if j.options.Keep {
		j.kept = &kept{documents: map[string][]string{}}
	}
}

// ErrNoProbabilities is wrapped by errors for scores that are not probabilities.
var ErrNoProbabilities = errors.New(
	"ece, log_loss and brier judge probabilities, from 0 to 1; lambdamart calibrate " +
		"makes a model that has them")

// reliable collects outcomes for Reliability.
func (j *judge) reliable(l metric.List) error {
	l, err := l.WithLabels(j.options.Event.Label)
	if err != nil {
		return err
	}
	weight := 1.0
	if len(l.Weights) > 0 {
		weight = l.Weights[0] // all are that of the query
	}
	for i, p := range l.Scores {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("query %s: score %v: %w", l.Query, p, ErrNoProbabilities)
		}
		o := metric.Outcome{Probability: p, Weight: weight}
		if l.Labels[i] >= j.options.Event.Grade {
			o.Good = weight
		}
		j.outcomes = append(j.outcomes, o)
	}
	return nil
}

// add judges lists.
func (j *judge) add(lists ...metric.List) error {
	for _, l := range lists {
		j.Queries = append(j.Queries, l.Query)
		j.Documents = append(j.Documents, len(l.Labels)+len(l.Unranked))
		if j.options.Event != nil {
			if err := j.reliable(l); err != nil {
				return err
			}
		}
	}
	if j.kept != nil {
		j.kept.add(lists)
	}
	return j.evaluator.Add(lists...)
}

func (j *judge) close() {
	if j.evaluator != nil {
		j.evaluator.Close()
	}
}

// grouped makes a list of the rows of each query, which may be in any order, and judges it. src may be called
// twice.
func (j *judge) grouped(ctx context.Context, src rowSource) error {
	if j.readsPairs() {
		return metric.ErrNoPairs
	}
	g, err := group(ctx, src, j.reset, j.add)
	j.Anomalies.Documents, j.Anomalies.Sorted = g.rows, g.sorts
	return err
}

// ErrNoInterval means that the mean of a result has no interval.
var ErrNoInterval = errors.New("fewer than two queries count")

// Interval returns the confidence interval of the mean of one of the results, over queries with their
// weights. If there is none, the error wraps [ErrNoInterval] or [metric.ErrBareQueries], and the bounds are
// NaN. remark, which may be empty, is a caveat for people.
func (j *Judgment) Interval(result int, o metric.TestOptions) (
	i metric.Interval, remark string, err error) {
	none := metric.Interval{Low: math.NaN(), High: math.NaN()}
	if err := o.Validate(); err != nil {
		return none, "", err
	}
	r := &j.Results[result]
	sample, err := r.Sample()
	switch {
	case err != nil:
		return none, "", err
	case len(sample.Values) < 2:
		return none, "", fmt.Errorf("%s under %s has no interval: %w", r.Metric, r.Convention.Name, ErrNoInterval)
	}
	return sample.Interval(o), sample.Remark(), nil
}
