package booster

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/training"
)

// The models of an ensemble do not depend on each other. With many rows they are trained one after the other,
// each on all threads. With few rows, threads that share an iteration wait for each other more than they
// work, so that several models are trained at once, each on its share of the threads. The caller sees no
// difference but the time: rounds are shown on the caller's goroutine, of one model after the other. With
// five models, three of them at once:
//
//	caller   steps 1, showing its rounds      waits for 2, 3, 4 and 5 in turn, and shows their rounds
//	helper   steps 2               steps 4
//	helper   steps 3                     steps 5
//	helper   waits for 1                       steps what is left

// fewRows is the number of rows up to which several trainings on the same rows run at once.
const fewRows = 200_000

// AtOnce returns how many of several trainings on so many rows run at once where there are this many threads,
// and how many threads each of them has. threads below 1 means one for each processor.
func AtOnce(trainings, rows, threads int) (atOnce, threadsOfEach int) {
	threads = par.Threads(threads)
	if rows > fewRows {
		return 1, threads
	}
	atOnce = max(1, min(threads, trainings))
	return atOnce, threads / atOnce
}

// modelsAtOnce returns how many models are trained at once, and the threads of each. An objective and metrics
// of the caller may not be used by several goroutines, and a profile is that of one training.
func (p *Params) modelsAtOnce(train Data, o Options) (atOnce, threadsOfEach int) {
	if o.Objective != nil || len(o.Metrics) > 0 || o.Profile != nil || train.Meta.Peers().Size() > 1 ||
		train.Values.IsOnDisk() {
		return 1, p.NumThreads
	}
	return AtOnce(p.NumModels, train.Meta.NumRows(), p.NumThreads)
}

// member is a model of an ensemble, before and after its run.
type member struct {
	number  int // from 1
	params  Params
	train   Data
	valid   []Data
	options Options
	show    func(happening) // what the caller of the ensemble sees

	later  bool // what happens is shown when it is this model's turn
	unseen []happening
	done   chan struct{}
	result *Result
	err    error
}

// happening is something that a caller sees of a run: a round, or what happened to a checkpoint.
type happening struct {
	round      training.Round
	checkpoint *training.CheckpointEvent // nil: it is a round
}

// members returns the models of an ensemble. resumed says that there is a checkpoint of any.
func (p *Params) members(train Data, valid []Data, o Options, resumed bool) ([]*member, error) {
	show := o.show()
	o.Round = nil
	var all []*member
	columns := &contextColumns{train: train, valid: valid}
	for k := range p.NumModels {
		m := &member{number: k + 1, show: show, options: o, done: make(chan struct{})}
		var err error
		if m.params, err = p.member(k); err != nil {
			return nil, err
		}
		m.train, m.valid = columns.of(p.lacksContext(k))
		m.useCheckpoints(resumed)
		all = append(all, m)
	}
	return all, nil
}

// show returns the function that calls those of the caller.
func (o Options) show() func(happening) {
	return func(h happening) {
		switch {
		case h.checkpoint != nil:
			o.Checkpoints.Event(*h.checkpoint)
		case o.Round != nil:
			o.Round(h.round)
		}
	}
}

// useCheckpoints gives the model the checkpoints of its part. A model without one is trained again, which is
// worth showing only if none has any.
func (m *member) useCheckpoints(resumed bool) {
	c := m.options.Checkpoints
	if c == nil {
		return
	}
	part := c.Part(m.number)
	if part.Resume != training.Anew {
		part.Resume = training.IfPresent
	}
	if part.Event != nil {
		part.Event = func(e training.CheckpointEvent) {
			if e.Kind != training.Absent || !resumed && m.number == 1 {
				m.see(happening{checkpoint: &e})
			}
		}
	}
	m.options.Checkpoints = part
}

// see shows what happened to the caller, now or when it is this model's turn.
func (m *member) see(h happening) {
	h.round.Model = m.number
	if m.later {
		m.unseen = append(m.unseen, h)
		return
	}
	m.show(h)
}

// run steps the run of the model until it ends, or is given up because nobody waits for it any more.
func (m *member) run(ctx context.Context, givenUp *atomic.Bool) {
	defer close(m.done)
	t, err := New(m.params, m.train, m.valid, m.options)
	if err != nil {
		m.err = err
		return
	}
	defer t.Close()
	for _, round := range t.Rounds() {
		m.see(happening{round: round})
	}
	for !givenUp.Load() {
		round, err := t.Step(ctx)
		switch {
		case err == io.EOF:
			m.result, m.err = t.Result()
			return
		case err != nil:
			m.err = err
			return
		}
		m.see(happening{round: round})
	}
}

// showUnseen shows what was to be shown later. If the caller ends training meanwhile, the run counts as
// cancelled.
func (m *member) showUnseen(ctx context.Context) {
	before := m.isOver(ctx)
	for _, h := range m.unseen {
		m.show(h)
	}
	m.unseen = nil
	if !before && m.isOver(ctx) {
		m.result = &Result{Stopped: training.Cancelled}
	}
}

// isOver reports whether the caller has ended training.
func (m *member) isOver(ctx context.Context) bool {
	return ctx.Err() != nil || m.options.Until != nil && m.options.Until()
}

// trainInTurn trains models one after the other, until add does not ask for more.
func trainInTurn(ctx context.Context, members []*member, add func(*member) (more bool)) {
	var never atomic.Bool
	for _, m := range members {
		if m.run(ctx, &never); !add(m) {
			return
		}
	}
}

// trainAtOnce does the same with several models at once. The first one is trained on the caller's goroutine,
// so that its progress is seen; then another goroutine takes that one's place, and the caller waits for one
// model after the other.
func trainAtOnce(ctx context.Context, members []*member, atOnce, threadsOfEach int,
	add func(*member) (more bool)) {
	for _, m := range members {
		m.params.NumThreads, m.later = threadsOfEach, m.number > 1
	}
	var givenUp atomic.Bool
	pool := par.New(atOnce + 1)
	defer pool.Close()
	var next atomic.Int64
	pool.Each(atOnce+1, func(place int) {
		switch place {
		case 0:
			defer givenUp.Store(true) // models that nobody waits for
			members[0].run(ctx, &givenUp)
			collect(ctx, members, add)
			return
		case atOnce:
			<-members[0].done
		}
		for k := next.Add(1); k < int64(len(members)) && !givenUp.Load(); k = next.Add(1) {
			members[k].run(ctx, &givenUp)
		}
	})
}

// collect waits for one model after the other, and adds it. One without result and error has panicked, as its
// pool will do.
func collect(ctx context.Context, members []*member, add func(*member) (more bool)) {
	for _, m := range members {
		<-m.done
		m.showUnseen(ctx)
		if m.result == nil && m.err == nil || !add(m) {
			return
		}
	}
}
