package booster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
)

// evaluator computes the metrics of an iteration and watches one of them.
type evaluator struct {
	params  *Params
	metrics []metric.Metric
	sets    []Data // that are evaluated: training data first, if at all
	stop    stopper

	watchSet, watchMetric string // empty if nothing is watched
}

func newEvaluator(p *Params, train Data, valid []Data) (*evaluator, error) {
	metrics, err := p.Metrics()
	if err != nil {
		return nil, err
	}
	e := &evaluator{params: p, metrics: metrics, stop: newStopper(p)}
	if p.IsTrainingMetric {
		e.sets = append(e.sets, train)
	}
	e.sets = append(e.sets, valid...)
	return e, e.chooseWatched(valid)
}

// chooseWatched finds the metric and the set that early stopping and the best
// iteration go by.
func (e *evaluator) chooseWatched(valid []Data) error {
	if len(valid) == 0 {
		if e.params.Patience > 0 {
			return fmt.Errorf("early stopping needs validation data: give valid=FILE, or patience=0")
		}
		return nil
	}
	e.watchMetric, e.watchSet = e.params.StopRule(), valid[0].Name
	if e.params.StopSet == "" {
		return nil
	}
	e.watchSet = e.params.StopSet
	var names []string
	for _, v := range valid {
		names = append(names, v.Name)
	}
	if !slices.Contains(names, e.watchSet) {
		return fmt.Errorf("stop_set=%s: no such validation set; there are: %s", e.watchSet, strings.Join(names, ", "))
	}
	return nil
}

func (e *evaluator) watches() bool { return e.watchMetric != "" && e.watchSet != "" }

func (e *evaluator) watched() string { return e.watchMetric + " on " + e.watchSet }

// due tells whether metrics are computed after the iteration: every metric_freq
// iterations, and after the last.
func (e *evaluator) due(iteration int) bool {
	return iteration%e.params.MetricFreq == 0 || iteration == e.params.NumIterations
}

// evaluate computes all metrics on all sets, and tells whether training should
// end.
func (e *evaluator) evaluate(iteration int, t *trainer) (all []Evaluation, stop bool, err error) {
	scores := t.validated
	if e.params.IsTrainingMetric {
		scores = append([][]float64{t.scores}, t.validated...)
	}
	for i, set := range e.sets {
		results, err := metric.Evaluate(e.metrics, set.Meta, scores[i], e.params.NumThreads)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", set.Name, err)
		}
		training := e.params.IsTrainingMetric && i == 0
		for _, r := range results {
			all = append(all, Evaluation{set.Name, r})
			if !training && set.Name == e.watchSet && r.Metric == e.watchMetric {
				stop = e.stop.see(iteration, r.Mean)
			}
		}
	}
	return all, stop, nil
}
