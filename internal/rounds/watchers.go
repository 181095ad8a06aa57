package rounds

import (
	"errors"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// watcher applies the rule of early stopping to one metric on one set.
type watcher struct {
	set, metric int // indexes in Evaluator.sets and Evaluator.metrics; metric is -1 if nothing is watched
	stopper
}

// watch begins to watch a metric on a set. The first watcher decides about the best round.
func (e *Evaluator) watch(set, metric int) {
	w := &watcher{set, metric, newStopper(e.params)}
	e.watchers = append(e.watchers, w)
	if !e.Watches() {
		e.decides = w
	}
}

// firstMetricOnly returns the row of the parameter first_metric_only.
func firstMetricOnly(p *training.Params) param.Parameter {
	return param.Parameter{Name: "first_metric_only", Group: GroupStopping,
		Help: "One metric on one set decides: stop_metric on stop_set. Otherwise training ends as soon as any " +
			"metric, at its last cut-off, has not risen on any validation set, and the model is the best by that " +
			"one, as in LightGBM by default.",
		Value: opposite{bind.Bool(&p.AnyMetricStops), &p.AnyMetricStops}}
}

// opposite is the [param.Value] of a switch that is on when its variable is false.
type opposite struct {
	param.Value
	dst *bool
}

func (o opposite) Set(text string) error {
	if err := o.Value.Set(text); err != nil {
		return err
	}
	*o.dst = !*o.dst
	return nil
}

func (o opposite) String() string {
	if *o.dst {
		return "false"
	}
	return "true"
}

// errOneDecides is the error for naming a metric or a set although all of them are watched.
var errOneDecides = errors.New("first_metric_only=false watches every metric on every validation set; " +
	"leave stop_metric and stop_set out, or first_metric_only")

// watchAll watches each metric at its last cut-off on each validation set, in addition to those that
// Params.StopRule and Params.StopSet choose, as LightGBM does without first_metric_only. Validation sets
// begin at e.sets[first].
func (e *Evaluator) watchAll(first int) {
	if !e.params.AnyMetricStops || e.params.Patience == 0 {
		return
	}
	all, last := canonical(specs(e.params)), canonical(lastCutoffs(e.params))
	for set := first; set < len(e.sets); set++ {
		for i, m := range e.metrics {
			own := !slices.Contains(all, m.Name())
			if (own || slices.Contains(last, m.Name())) && (set != e.decides.set || i != e.decides.metric) {
				e.watch(set, i)
			}
		}
	}
}

// lastCutoffs returns the metrics of Metric, each at the last of its cut-offs.
func lastCutoffs(p *training.Params) (last []string) {
	for _, name := range p.Metric {
		if specs := metric.AtCutoffs(name, p.EvalAt); len(specs) > 0 {
			last = append(last, specs[len(specs)-1])
		}
	}
	return last
}

// canonical returns the names that the metrics' method Name returns.
func canonical(specs []string) []string {
	var names []string
	for _, spec := range specs {
		if m, err := metric.Parse(spec, metric.Default()); err == nil {
			names = append(names, m.Name())
		}
	}
	return names
}

// see records the means of all metrics on all sets after a round. It reports whether the round is the best so
// far, and whether training should end. The watcher that ends it decides from then on.
func (e *Evaluator) see(round int, mean func(place int) float64) (best, stop bool) {
	_, short := e.bounds.shortfalls(mean)
	ends := e.decides
	for _, w := range e.watchers {
		place := e.placeOf(w)
		good, end := w.see(round, e.rising(place, mean(place)), short)
		if w == e.decides {
			best = good
		}
		if end && !stop {
			ends, stop = w, true
		}
	}
	e.decides = ends
	return best, stop
}

// stopper is the rule of early stopping: training ends when the watched metric has
// not risen by more than minDelta above its best for patience rounds.
type stopper struct {
	patience int // 0: never
	minDelta float64
	round    int     // of the best value, from 1; 0 before the first
	value    float64 // the best
	short    float64 // by which constraints fall short in that round
}

func newStopper(p *training.Params) stopper {
	return stopper{patience: p.Patience, minDelta: p.MinDelta, value: math.Inf(-1)}
}

// see records the watched metric after a round, and by which part constraints fall short, of which less is
// better whatever the metric is. It reports whether the round is the best so far, and whether training should
// end.
func (s *stopper) see(round int, value, short float64) (best, stop bool) {
	better := value > s.value+s.minDelta
	if short != s.short {
		better = short < s.short
	}
	if best = s.round == 0 || better; best {
		s.round, s.value, s.short = round, value, short
	}
	return best, s.patience > 0 && round-s.round >= s.patience
}
