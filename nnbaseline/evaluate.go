package nnbaseline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/metric"
)

// evaluator computes the metrics of an epoch and watches one of them.
type evaluator struct {
	params  *Params
	metrics []metric.Metric
	sets    []Data      // that are evaluated: training data first, if at all
	scores  [][]float64 // of sets

	watchSet, watchMetric string // empty if nothing is watched
	watch                 int    // place of watchSet in sets

	best      int // epoch, from 1; 0 before the first
	bestValue float64
}

func newEvaluator(p *Params, train Data, valid []Data) (*evaluator, error) {
	metrics, err := p.Metrics()
	if err != nil {
		return nil, err
	}
	e := &evaluator{params: p, metrics: metrics, bestValue: math.Inf(-1)}
	if p.IsTrainingMetric {
		e.sets = append(e.sets, train)
	}
	first := len(e.sets)
	e.sets = append(e.sets, valid...)
	for _, set := range e.sets {
		e.scores = append(e.scores, make([]float64, set.Meta.NumRows()))
	}
	return e, e.chooseWatched(first)
}

// chooseWatched finds the metric and the set that early stopping and the best epoch
// go by, among the sets from the first validation set on.
func (e *evaluator) chooseWatched(first int) error {
	if first == len(e.sets) {
		switch {
		case e.params.Patience > 0:
			return fmt.Errorf("early stopping needs validation data: give valid=FILE, or patience=0")
		case e.params.Schedule == Plateau:
			return fmt.Errorf("schedule=plateau goes by a metric on validation data: give valid=FILE, or another schedule")
		}
		return nil
	}
	e.watchMetric, e.watch = e.params.StopRule(), first
	if name := e.params.StopSet; name != "" {
		i := slices.IndexFunc(e.sets[first:], func(d Data) bool { return d.Name == name })
		if i < 0 {
			return fmt.Errorf("stop_set=%s: no such validation set; there are: %s", name, strings.Join(names(e.sets[first:]), ", "))
		}
		e.watch = first + i
	}
	e.watchSet = e.sets[e.watch].Name
	return nil
}

func names(sets []Data) []string {
	all := make([]string, len(sets))
	for i, d := range sets {
		all[i] = d.Name
	}
	return all
}

func (e *evaluator) watches() bool { return e.watchMetric != "" && e.watchSet != "" }

// check finds what evaluation would find fault with, before the training: values that
// are NaN, and labels that a metric cannot judge.
func (e *evaluator) check(in *inputs, pool *par.Pool) error {
	for i, set := range e.sets {
		if err := in.checkNaN(set.Values, pool); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		if _, err := metric.Evaluate(e.metrics, set.Meta, e.scores[i], e.params.NumThreads); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

// due tells whether metrics are computed after the epoch: every metric_freq epochs,
// and after the last.
func (e *evaluator) due(epoch int) bool {
	return epoch%e.params.MetricFreq == 0 || epoch == e.params.Epochs
}

// evaluate computes all metrics on all sets, and the value of the watched one; NaN if
// there is none.
func (e *evaluator) evaluate(m *Model) (all []booster.Evaluation, watched float64, err error) {
	watched = math.NaN()
	for i, set := range e.sets {
		if err := m.ScoreData(e.scores[i], set, e.params.NumThreads); err != nil {
			return nil, watched, fmt.Errorf("%s: %w", set.Name, err)
		}
		for row := range set.Meta.InitialScores {
			e.scores[i][row] += set.Meta.InitialScores[row]
		}
		results, err := metric.Evaluate(e.metrics, set.Meta, e.scores[i], e.params.NumThreads)
		if err != nil {
			return nil, watched, fmt.Errorf("%s: %w", set.Name, err)
		}
		for _, r := range results {
			all = append(all, booster.Evaluation{Set: set.Name, Result: r})
			if e.watches() && i == e.watch && r.Metric == e.watchMetric {
				watched = r.Mean
			}
		}
	}
	return all, watched, nil
}

// see takes note of the watched metric after an epoch, and tells whether it is the
// best so far and whether training should end.
func (e *evaluator) see(epoch int, value float64) (best, stop bool) {
	if best = e.best == 0 || value > e.bestValue+e.params.MinDelta; best {
		e.best, e.bestValue = epoch, value
	}
	return best, e.params.Patience > 0 && epoch-e.best >= e.params.Patience
}
