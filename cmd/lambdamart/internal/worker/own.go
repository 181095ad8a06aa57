package worker

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// own are the objective and the metrics of a training that the parent process computes. For each
// iteration, this process writes scores to shared memory, emits an event, and waits for the request
// that answers it:
//
//	objective  scores of the training data ─► go: its lambdas and Hessians are in shared memory
//	metric     scores of a set ─► go: the value
type own struct {
	Objective string   `json:"objective"` // its name; empty: a built-in one is used
	Metrics   []string `json:"metrics"`   // their names

	File   file  `json:"file"`
	Lambda int   `json:"lambda"` // float64, where it begins; the Hessians follow
	Scores []int `json:"scores"` // float64, where those of each set begin
}

// parent asks the parent process for gradients and values of metrics.
type parent struct {
	*own
	*server
	ctx    context.Context
	memory []byte
	sets   []*dataset.Meta // in the order of the request
}

// newParent maps the memory of own objectives and metrics. close unmaps it.
func (t *trainer) newParent(ctx context.Context, sets []*dataset.Meta) (p *parent, close func() error, err error) {
	p = &parent{own: t.request.Own, server: t.server, ctx: ctx, sets: sets}
	opened, err := p.File.open(os.O_RDWR)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	p.memory, close, err = arrays.Map(opened, p.File.Size, true)
	if err != nil {
		return nil, nil, fmt.Errorf("the memory of objectives and metrics of the parent process: %w", err)
	}
	return p, close, nil
}

// numbers returns n numbers of the shared memory.
func (p *parent) numbers(offset, n int) ([]float64, error) {
	return arrays.Numbers[float64](p.memory, offset, n)
}

// write puts scores of a set where the parent process reads them.
func (p *parent) write(set int, scores []float64) error {
	if set >= len(p.Scores) {
		return fmt.Errorf("there is no memory for scores of set %d", set)
	}
	dst, err := p.numbers(p.Scores[set], len(scores))
	copy(dst, scores)
	return err
}

// errNoAnswer says that the parent process does not want the training any more.
var errNoAnswer = errors.New("the parent process ended the training")

// ask emits an event and returns the answer.
func (p *parent) ask(kind string, e event) (request, error) {
	if err := p.emit(kind, e, nil); err != nil {
		return request{}, err
	}
	q, ok := p.receive(p.ctx)
	if !ok || q.Op != "go" {
		return q, errNoAnswer
	}
	return q, nil
}

// ownObjective is the objective of the parent process.
type ownObjective struct{ *parent }

func (o ownObjective) Name() string                { return o.Objective }
func (o ownObjective) Prepare(*dataset.Meta) error { return nil }

// Gradients implements [objective.Objective]; [objective.Whole] takes its place.
func (o ownObjective) Gradients(objective.Gradients, objective.Query) {}

// All implements [objective.Whole].
func (o ownObjective) All(dst objective.Gradients, r objective.Round) error {
	n := len(r.Scores)
	if err := o.write(0, r.Scores); err != nil {
		return err
	}
	if _, err := o.ask("objective", event{"iteration": r.Iteration, "seed": r.Seed}); err != nil {
		return err
	}
	derivatives, err := o.numbers(o.Lambda, 2*n)
	if err != nil {
		return err
	}
	copy(dst.Lambda, derivatives[:n])
	copy(dst.Hessian, derivatives[n:])
	return nil
}

// ownMetric is a metric of the parent process.
type ownMetric struct {
	*parent
	number int
}

func (m ownMetric) Name() string                  { return m.Metrics[m.number] }
func (m ownMetric) Convention() metric.Convention { return metric.Default() }

// Query implements [metric.Metric]; [metric.Whole] takes its place.
func (m ownMetric) Query(_, _ []float64) (value float64, ok bool) { return 0, false }

// All implements [metric.Whole].
func (m ownMetric) All(data *dataset.Meta, scores []float64) (float64, error) {
	for set, meta := range m.sets {
		if meta == data {
			if err := m.write(set, scores); err != nil {
				return 0, err
			}
			q, err := m.ask("metric", event{"set": set, "metric": m.number})
			return q.Value, err
		}
	}
	return 0, errors.New("a metric of the parent process is asked for a set that is not its")
}

// options returns the objective and the metrics of the parent process.
func (p *parent) options() []lambdamart.TreeOption {
	options := []lambdamart.TreeOption{lambdamart.WithMetrics(p.metrics()...)}
	if p.Objective != "" {
		options = append(options, lambdamart.WithObjective(ownObjective{p}))
	}
	return options
}

// metrics returns the metrics of the parent process.
func (p *parent) metrics() []metric.Metric {
	var metrics []metric.Metric
	for i := range p.Metrics {
		metrics = append(metrics, ownMetric{p, i})
	}
	return metrics
}

// metas returns all but the values of the sets, the training data first.
func metas(all *data.Loaded) []*dataset.Meta {
	list := []*dataset.Meta{all.Training.Meta}
	for _, s := range all.Validation {
		list = append(list, s.Meta)
	}
	return list
}
