package training

import (
	"errors"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// watcher applies the rule of early stopping to one metric on one set, in addition to those that
// Params.StopRule and Params.StopSet choose, as LightGBM does without first_metric_only.
type watcher struct {
	set, metric int // indexes in Evaluator.sets and Evaluator.metrics
	stop        stopper
}

// firstMetricOnly returns the row of the parameter first_metric_only.
func (p *Params) firstMetricOnly() param.Parameter {
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

// watchAll adds a watcher for each metric at its last cut-off on each validation set, except for the metric
// and set that are watched already. Validation sets begin at e.sets[first].
func (e *Evaluator) watchAll(first int) {
	if !e.params.AnyMetricStops || e.params.Patience == 0 {
		return
	}
	all, last := canonical(e.params.specs()), canonical(e.params.lastCutoffs())
	for set := first; set < len(e.sets); set++ {
		for i, m := range e.metrics {
			own := !slices.Contains(all, m.Name())
			if (own || slices.Contains(last, m.Name())) && (set != e.watchedSet || m.Name() != e.watched) {
				e.others = append(e.others, watcher{set, i, newStopper(e.params)})
			}
		}
	}
}

// lastCutoffs returns the metrics of Metric, each at the last of its cut-offs.
func (p *Params) lastCutoffs() (last []string) {
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

// seeOthers records the means of all metrics on all sets after a round, and returns the watcher that ends
// training, or nil.
func (e *Evaluator) seeOthers(round int, short float64, mean func(place int) float64) *watcher {
	var ends *watcher
	for i := range e.others {
		w := &e.others[i]
		if _, stop := w.stop.see(round, mean(w.set*len(e.metrics)+w.metric), short); stop && ends == nil {
			ends = w
		}
	}
	return ends
}

// decide makes the best round of the watcher the best round of the run.
func (e *Evaluator) decide(w *watcher) {
	e.stop, e.watched, e.watchedSet = w.stop, e.metrics[w.metric].Name(), w.set
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

func newStopper(p *Params) stopper {
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
