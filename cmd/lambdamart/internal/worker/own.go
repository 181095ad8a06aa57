package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/study"
)

// own are the objective and the metrics of a run that the parent process computes. For each iteration, this
// process writes scores to shared memory, emits an event, and waits for the request that answers it:
//
//	objective  scores of the training data ─► go: its lambdas and Hessians are in shared memory
//	metric     scores of a set ─► go: the value, or the values of all queries in the place of the scores
//
// The runs of a study have a part of the queries of a set: the event has their numbers, and the memory begins
// with their rows, one query after the other.
type own struct {
	Objective string   `json:"objective"` // its name; empty: a built-in one is used
	Metrics   []string `json:"metrics"`   // their names
	Each      bool     `json:"each"`      // metrics judge single queries

	File   file  `json:"file"`
	Lambda int   `json:"lambda"` // float64, where it begins; the Hessians follow
	Scores []int `json:"scores"` // float64, where those of each set begin
}

// parent asks the parent process for gradients and values of metrics, one at a time.
type parent struct {
	*own
	*server
	ctx    context.Context
	memory []byte
	unmap  func() error
	sets   []*dataset.Meta // in the order of the memory

	sharing sync.Mutex // held from writing the scores until the answer arrives
}

// newParent maps the memory of own objectives and metrics.
func newParent(ctx context.Context, s *server, o *own) (*parent, error) {
	p := &parent{own: o, server: s, ctx: ctx}
	opened, err := p.File.open(os.O_RDWR)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	p.memory, p.unmap, err = arrays.Map(opened, p.File.Size, true)
	if err != nil {
		return nil, fmt.Errorf("the memory of objectives and metrics of the parent process: %w", err)
	}
	return p, nil
}

// functions returns the objective and the metrics in the form that runs use.
func (p *parent) functions() (o study.Own) {
	if p.Objective != "" {
		o.Objective = func() objective.Objective { return &ownObjective{parent: p} }
	}
	for i := range p.Metrics {
		m := ownMetric{p, i}
		if p.Each {
			o.Metrics = append(o.Metrics, ownEach{m})
		} else {
			o.Metrics = append(o.Metrics, m)
		}
	}
	return o
}

// numbers returns n numbers of the shared memory.
func (p *parent) numbers(offset, n int) ([]float64, error) {
	return arrays.Numbers[float64](p.memory, offset, n)
}

// show copies scores of a set, or of a part of one, to where the parent process reads them, describes them in
// e, and waits for the answer to e.
func (p *parent) show(data *dataset.Meta, scores []float64, kind string,
	e event) (set int, q request, err error) {
	whole := data
	if data.Whole != nil {
		whole, e["queries"] = data.Whole, data.Selected
	}
	for set, meta := range p.sets {
		if meta != whole || set >= len(p.Scores) {
			continue
		}
		e["set"] = set
		dst, err := p.numbers(p.Scores[set], len(scores))
		if err == nil {
			copy(dst, scores)
			q, err = p.ask(p.ctx, kind, e, nil)
		}
		return set, q, err
	}
	return 0, q, errors.New("a function of the parent process does not know this data: its sets are others")
}

// ownObjective is the objective of the parent process in one run.
type ownObjective struct {
	*parent
	data *dataset.Meta
}

func (o *ownObjective) Name() string { return o.Objective }

// Prepare implements [objective.Objective].
func (o *ownObjective) Prepare(data *dataset.Meta) error {
	o.data = data
	return nil
}

// Gradients implements [objective.Objective]. It is not called, because All implements [objective.Whole].
func (o *ownObjective) Gradients(objective.Gradients, objective.Query) {}

// All implements [objective.Whole].
func (o *ownObjective) All(dst objective.Gradients, r objective.Round) error {
	o.sharing.Lock()
	defer o.sharing.Unlock()
	n := len(r.Scores)
	_, _, err := o.show(o.data, r.Scores, "objective", event{"iteration": r.Iteration, "seed": r.Seed})
	if err != nil {
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

// Query implements [metric.Metric]. It is not called, because All implements [metric.Whole].
func (m ownMetric) Query(_, _ []float64) (value float64, ok bool) { return 0, false }

// All implements [metric.Whole].
func (m ownMetric) All(data *dataset.Meta, scores []float64) (float64, error) {
	m.sharing.Lock()
	defer m.sharing.Unlock()
	_, q, err := m.show(data, scores, "metric", event{"metric": m.number})
	return q.Value, err
}

// ownEach is a metric of the parent process that judges single queries.
type ownEach struct{ ownMetric }

// Each implements [metric.Each].
func (m ownEach) Each(data *dataset.Meta, scores []float64) ([]float64, error) {
	m.sharing.Lock()
	defer m.sharing.Unlock()
	set, _, err := m.show(data, scores, "metric", event{"metric": m.number, "each": true})
	if err != nil {
		return nil, err
	}
	shared, err := m.numbers(m.Scores[set], len(data.Queries))
	values := append([]float64(nil), shared...)
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("a query has the value %v", v)
		}
	}
	return values, err
}
