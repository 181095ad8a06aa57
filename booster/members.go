package booster

import (
	"context"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// The models of an ensemble do not depend on each other. With many rows they are trained one after the other, each on all
// threads. With few rows, threads that share an iteration wait for each other more than they work, so that several
// models are trained at once, each on its share of the threads. The caller sees no difference but the time: functions
// of the caller run on the caller's goroutine, for one model after the other. With five models, three of them at once:
//
//	caller   trains 1, calling its functions   waits for 2, 3, 4 and 5 in turn, and calls their functions
//	helper   trains 2               trains 4
//	helper   trains 3                     trains 5
//	helper   waits for 1                       trains what is left

// fewRows is the number of rows up to which several trainings on the same rows run at once.
const fewRows = 200_000

// AtOnce returns how many of several trainings on so many rows run at once where there are this many threads, and
// how many threads each of them has. threads below 1 means one for each processor.
func AtOnce(trainings, rows, threads int) (atOnce, threadsOfEach int) {
	threads = par.Threads(threads)
	if rows > fewRows {
		return 1, threads
	}
	atOnce = max(1, min(threads, trainings))
	return atOnce, threads / atOnce
}

// modelsAtOnce returns how many models are trained at once, and the threads of each. An objective and metrics of the
// caller may not be used by several goroutines, and a profile is that of one training.
func (p *Params) modelsAtOnce(train Data, obj objective.Objective, o Options) (atOnce, threadsOfEach int) {
	if obj != nil || len(o.Metrics) > 0 || o.Profile != nil || train.Meta.Ranks().Size() > 1 || train.Values.IsOnDisk() {
		return 1, p.NumThreads
	}
	return AtOnce(p.NumModels, train.Meta.NumRows(), p.NumThreads)
}

// model is a model of an ensemble, before and after its training.
type model struct {
	params  Params
	train   Data
	valid   []Data
	custom  objective.Objective // nil: that of params
	options Options

	postponed []func() // calls of the caller's functions
	done      chan struct{}
	result    *Result
	err       error
}

// models returns the models of an ensemble. resumed says that there is a checkpoint of any.
func (p *Params) models(train Data, valid []Data, obj objective.Objective, o Options, resumed bool) ([]*model, error) {
	var all []*model
	columns := &contextColumns{train: train, valid: valid}
	for k := range p.NumModels {
		m := &model{custom: obj, options: o.member(k, resumed), done: make(chan struct{})}
		var err error
		if m.params, err = p.member(k); err != nil {
			return nil, err
		}
		m.train, m.valid = columns.of(p.lacksContext(k))
		all = append(all, m)
	}
	return all, nil
}

// run trains the model.
func (m *model) run(ctx context.Context) {
	m.result, m.err = Train(ctx, m.params, m.train, m.valid, m.custom, m.options)
}

// postpone makes the training of the model note the calls of the caller's functions instead of making them.
func (m *model) postpone() {
	if round := m.options.Round; round != nil {
		m.options.Round = func(r training.Round) { m.postponed = append(m.postponed, func() { round(r) }) }
	}
	if c := m.options.Checkpoints; c != nil && c.Event != nil {
		event := c.Event
		c.Event = func(e training.CheckpointEvent) { m.postponed = append(m.postponed, func() { event(e) }) }
	}
}

// finish makes the calls that were postponed. If one of them cancels ctx, the training counts as cancelled.
func (m *model) finish(ctx context.Context) {
	before := ctx.Err()
	for _, call := range m.postponed {
		call()
	}
	m.postponed = nil
	if before == nil && ctx.Err() != nil {
		m.result = &Result{Stopped: training.Cancelled}
	}
}

// trainInTurn trains models one after the other, until add does not ask for more.
func trainInTurn(ctx context.Context, models []*model, add func(*model) (more bool)) {
	for _, m := range models {
		if m.run(ctx); !add(m) {
			return
		}
	}
}

// trainAtOnce does the same with several models at once. The first one is trained on the caller's goroutine, so that
// its progress is seen; then another goroutine takes that one's place, and the caller waits for one model after the other.
func trainAtOnce(ctx context.Context, models []*model, atOnce, threadsOfEach int, add func(*model) (more bool)) {
	for k, m := range models {
		m.params.NumThreads = threadsOfEach
		if k > 0 {
			m.postpone()
		}
	}
	work, stop := context.WithCancelCause(ctx)
	defer stop(training.ErrAbandoned)
	pool := par.New(atOnce + 1)
	defer pool.Close()
	var next atomic.Int64
	pool.Each(atOnce+1, func(place int) {
		switch place {
		case 0:
			defer stop(training.ErrAbandoned) // of models that nobody waits for
			models[0].runUnlessCancelled(work)
			collect(ctx, models, add)
			return
		case atOnce:
			<-models[0].done
		}
		for k := next.Add(1); k < int64(len(models)); k = next.Add(1) {
			models[k].runUnlessCancelled(work)
		}
	})
}

// collect waits for one model after the other, and adds it. One without result and error has panicked, as its pool
// will do.
func collect(ctx context.Context, models []*model, add func(*model) (more bool)) {
	for _, m := range models {
		<-m.done
		m.finish(ctx)
		if m.result == nil && m.err == nil || !add(m) {
			return
		}
	}
}

// runUnlessCancelled trains the model if ctx is not cancelled yet, and says that it is done.
func (m *model) runUnlessCancelled(ctx context.Context) {
	defer close(m.done)
	if ctx.Err() != nil {
		m.result = &Result{Stopped: training.Cancelled}
		return
	}
	m.run(ctx)
}
