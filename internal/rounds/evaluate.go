package rounds

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// Evaluator judges the rounds of one training run by its metrics, and decides when
// training ends.
type Evaluator struct {
	params  *training.Params
	rounds  int  // largest number of rounds
	every   bool // evaluate each round, since early stopping or a schedule goes by its metrics
	metrics []metric.Metric
	sets    []set // sets that are evaluated: first the training data, if it is one of them

	watchers []*watcher // that end training
	decides  *watcher   // about the best round

	bounds bounds // constraints

	// usual are the metrics on the sets, as [Evaluator.Evaluate] returns them, for scores of 0: only means and
	// ties, and what is of single queries, differ after a round.
	usual []training.Evaluation

	part  *dataset.Part // of the data, if peers share it
	facts func() []Fact // returns the facts that identify the training data and all validation sets
}

// set is the part of a Data that metrics need.
type set struct {
	name string
	meta *dataset.Meta
}

// NewEvaluator returns an evaluator for a training run of at most this many rounds. It
// evaluates the validation sets, in their order, after the training data if
// p.IsTrainingMetric is set, by the given metrics, which p.Metrics returns. p must not change
// while the evaluator is in use.
//
// It returns an error for data sets that do not fit together, a validation set that does not exist, or early
// stopping without validation data or a metric to watch.
func NewEvaluator[V Values](p *training.Params, rounds int, train training.Data[V], valid []training.Data[V],
	metrics []metric.Metric) (*Evaluator, error) {
	if err := checkData(train, valid); err != nil {
		return nil, err
	}
	e := &Evaluator{params: p, rounds: rounds, every: p.Patience > 0, metrics: metrics,
		decides: &watcher{metric: -1, stopper: newStopper(p)}, part: train.Meta.Part}
	if p.IsTrainingMetric {
		e.sets = append(e.sets, set{train.Name, train.Meta})
	}
	first := len(e.sets)
	for _, d := range valid {
		e.sets = append(e.sets, set{d.Name, d.Meta})
	}
	e.facts = func() []Fact { return dataFacts(train, valid, p.NumThreads) }
	if err := e.chooseWatched(first); err != nil {
		return nil, err
	}
	return e, e.bindConstraints(first)
}

// chooseWatched finds the metric and the set that decide about the best round. The
// validation sets begin at e.sets[first].
func (e *Evaluator) chooseWatched(first int) error {
	valid := e.sets[first:]
	if len(valid) == 0 {
		if e.params.Patience > 0 {
			return errors.New("early stopping needs validation data: give valid=FILE, or patience=0")
		}
		return nil
	}
	rule, on := stopRule(e.params, e.metrics), first
	at := slices.IndexFunc(e.metrics, func(m metric.Metric) bool { return m.Name() == rule })
	switch {
	case e.params.Patience > 0 && rule == "":
		return errNothingWatched
	case e.params.Patience > 0 && at < 0:
		return fmt.Errorf("early stopping watches %s, which is not among the metrics that are evaluated", rule)
	}
	if e.params.StopSet != "" {
		i := slices.IndexFunc(valid, func(s set) bool { return s.name == e.params.StopSet })
		if i < 0 {
			return fmt.Errorf("stop_set=%s: no such validation set; there are: %s", e.params.StopSet, names(valid))
		}
		on += i
	}
	if at >= 0 {
		e.watch(on, at)
		e.watchAll(first)
	}
	return nil
}

func names(sets []set) string {
	all := make([]string, len(sets))
	for i, s := range sets {
		all[i] = s.name
	}
	return strings.Join(all, ", ")
}

// Watches reports whether a metric on a validation set decides about the best round.
func (e *Evaluator) Watches() bool { return e.decides.metric >= 0 }

// check evaluates the metrics on scores of zero, so that an error of evaluation, such as a label that a
// metric cannot judge, is found before the first round and not after it.
func (e *Evaluator) check() error {
	scores := make([][]float64, len(e.sets))
	for i, s := range e.sets {
		scores[i] = make([]float64, s.meta.NumRows())
	}
	all, err := e.Evaluate(scores)
	if err != nil {
		return err
	}
	err = errors.Join(e.bounds.check(all), e.checkStopping(all))
	for i := range all {
		all[i].Result.PerQuery, all[i].Result.Weights = nil, nil
	}
	e.usual = all
	return err
}

// checkStopping returns an error if early stopping watches a set on which a ranking metric has the same value
// whatever the model, or none. It does not check the caller's own metrics, which may judge more
// than the order of documents.
func (e *Evaluator) checkStopping(all []training.Evaluation) error {
	if e.params.Patience == 0 || !e.Watches() {
		return nil
	}
	at := e.decides.metric
	stop, watched := e.metrics[at], map[int]bool{}
	for _, w := range e.watchers {
		watched[w.set] = watched[w.set] || isBuiltIn(e.metrics[w.metric])
	}
	for i, s := range e.sets {
		labeled, err := s.meta.WithLabels(metric.LabelOf(stop))
		if err == nil && watched[i] && !metric.ReadsPairs(stop) && !e.part.Group().Any(labeled.AnyPairs()) {
			return fmt.Errorf("%s: in none of the queries do the grades of documents differ, so early "+
				"stopping cannot judge a model by it; give validation data with judgments, or patience=0", s.name)
		}
		known := watched[i] || i == e.decides.set && metric.LessIsBetter(stop)
		if known && math.IsNaN(all[i*len(e.metrics)+at].Result.Mean) {
			return fmt.Errorf("%s: %s has no value, since none of the queries counts, so early stopping cannot "+
				"judge a model by it; give other validation data, another stop_metric, or patience=0", s.name,
				stop.Name())
		}
	}
	return nil
}

// EveryRound makes metrics be computed after each round, whatever Params.MetricFreq is, as with early
// stopping. A learner that goes by the watched metric calls it before the run begins.
func (e *Evaluator) EveryRound() { e.every = true }

// due reports whether metrics are computed after the round: after each, or every MetricFreq rounds and after
// the last.
func (e *Evaluator) due(round int) bool {
	return len(e.sets) > 0 && (e.every || round%e.params.MetricFreq == 0 || round == e.rounds)
}

// isBuiltIn reports whether a metric is one of package metric, and not the caller's own.
func isBuiltIn(m metric.Metric) bool {
	named, err := metric.Parse(m.Name(), m.Convention())
	return err == nil && reflect.TypeOf(named) == reflect.TypeOf(m)
}

// Evaluate computes all metrics on all sets that are evaluated, given the scores of their rows in the order
// of [NewEvaluator].
func (e *Evaluator) Evaluate(scores [][]float64) (all []training.Evaluation, err error) {
	for i, s := range e.sets {
		results, err := metric.Evaluate(e.metrics, s.meta, scores[i], e.params.NumThreads)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, r := range results {
			all = append(all, training.Evaluation{Set: s.name, Result: r})
		}
	}
	return all, nil
}

// placeOf returns the index of a watcher's metric on its set among all evaluations.
func (e *Evaluator) placeOf(w *watcher) int { return w.set*len(e.metrics) + w.metric }

// rising returns the value of a metric, negated if less is better. Of a negated value it returns the value.
func (e *Evaluator) rising(place int, value float64) float64 {
	if metric.LessIsBetter(e.metrics[place%len(e.metrics)]) {
		return -value
	}
	return value
}

// Values holds the feature values of rows.
type Values interface {
	comparable
	NumRows() int

	// Fingerprint returns a text and sums that only equal values have. If several peers have parts of the
	// values, the text is the same on all peers, and sums are added up over them; first is the number of row
	// 0 in the whole data. It may use this many workers; the results do not depend on them.
	Fingerprint(first, workers int) (numbers, text string, sums [2]uint64)
}

// maxRows is the largest number of rows of a set. Learners number rows by int32. It is a variable so that
// tests can lower it.
var maxRows = math.MaxInt32

// checkData returns an error for data that do not fit together.
func checkData[V Values](train training.Data[V], valid []training.Data[V]) error {
	if err := checkSet(&train); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, d := range valid {
		if err := checkSet(&d); err != nil {
			return err
		}
		if seen[d.Name] {
			return fmt.Errorf("data %q: two validation sets of that name", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}

// checkSet returns an error for a set on which a model can neither be trained nor evaluated.
func checkSet[V Values](d *training.Data[V]) error {
	var none V
	switch {
	case d.Meta == nil || d.Values == none:
		return fmt.Errorf("data %q: Meta or Values is missing", d.Name)
	case d.Meta.AllRows() == 0:
		return fmt.Errorf("data %q: no rows", d.Name)
	case d.Meta.NumRows() > maxRows:
		return fmt.Errorf("data %q: %s; training takes at most %s", d.Name, wording.Count(d.Meta.NumRows(), "row"),
			wording.Thousands(maxRows))
	case d.Meta.NumRows() != d.Values.NumRows():
		return fmt.Errorf("data %q: %s for %s of values", d.Name, wording.Count(d.Meta.NumRows(), "label"),
			wording.Count(d.Values.NumRows(), "row"))
	}
	return nil
}
