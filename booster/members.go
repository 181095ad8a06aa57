package booster

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/training"
)

// The models of an ensemble do not depend on each other. With many rows, they are trained one after the
// other, each on all threads. With few rows, threads that share an iteration would wait for each other more
// than they work; therefore several models are trained at once, each on its share of the threads. The caller
// sees the same rounds in the same order either way: they are shown on the caller's goroutine, one model
// after the other. With five models, three of them at once:
//
//	caller   steps 1, showing its rounds      waits for 2, 3, 4 and 5, and shows their rounds
//	helper   steps 2               steps 4
//	helper   steps 3                     steps 5
//	helper   waits for 1                       steps the remaining models

// modelsAtOnce returns how many models are trained at once, and the threads of each. It is one model if the
// caller's objective or metrics are used, which need not be safe for concurrent use, or if a profile is made.
func (p *Params) modelsAtOnce(train Data, o Options) (atOnce, threadsOfEach int) {
	if o.Objective != nil || len(o.Metrics) > 0 || o.Profile != nil || train.Meta.Part.Group().Size() > 1 {
		return 1, p.NumThreads
	}
	return par.AtOnce(p.NumModels, train.Meta.NumRows(), p.NumThreads)
}

// member is a model of an ensemble, before and after its run.
type member struct {
	number  int // from 1
	params  Params
	train   Data
	valid   []Data
	options Options
	round   func(training.Round) // the caller's; may be nil

	later  bool // events are kept until it is this model's turn to be shown
	unseen []happening
	done   chan struct{}
	result *Result
	err    error
}

// happening is an event of a run that the caller sees: a round, or an event of a checkpoint.
type happening struct {
	rounds int // that were complete
	show   func()
}

// members returns the models of an ensemble. resumed means that at least one of them has a checkpoint.
func (p *Params) members(train Data, valid []Data, o Options, resumed bool) []*member {
	round := o.Round
	o.Round = nil
	var all []*member
	for k := range p.NumModels {
		m := &member{number: k + 1, params: p.Member(k), train: train, valid: valid, round: round, options: o,
			done: make(chan struct{})}
		m.useCheckpoints(resumed)
		all = append(all, m)
	}
	return all
}

// Member returns the parameters of model k, from 0, of an ensemble.
func (p *Params) Member(k int) Params {
	m := *p
	m.NumModels, m.ModelObjectives = 1, nil
	m.Seed += uint64(k)
	m.Seeds = p.Seeds.plus(uint64(k))
	if n := len(p.ModelObjectives); n > 0 {
		m.Objective = p.ModelObjectives[k%n]
	}
	return m
}

// useCheckpoints gives the model the checkpoints of its part. A model without a checkpoint is trained again.
// The caller sees that only if no model has one.
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
				m.see(happening{show: func() { c.Event(e) }})
			}
		}
	}
	m.options.Checkpoints = part
}

// see shows an event to the caller, now or when it is this model's turn.
func (m *member) see(h happening) {
	if m.later {
		m.unseen = append(m.unseen, h)
		return
	}
	h.show()
}

// run steps the run of the model until it ends, or until it is given up because nobody waits for it anymore.
func (m *member) run(ctx context.Context, givenUp *atomic.Bool) {
	defer close(m.done)
	defer rounds.Catch(0, &m.err)
	t, err := New(m.params, m.train, m.valid, m.options)
	if err != nil {
		m.err = err
		return
	}
	defer t.Close()
	step := func(ctx context.Context) (training.Round, error) {
		if givenUp.Load() {
			return training.Round{}, io.EOF
		}
		return t.Step(ctx)
	}
	seen := func(r training.Round) {
		if r.Model = m.number; m.round != nil {
			m.see(happening{r.Number, func() { m.round(r) }})
		}
	}
	m.result, m.err = t.ended(rounds.Loop(ctx, t.Rounds(), step, seen))
}

// showUnseen shows the events that were kept. If the caller ends training meanwhile, the run counts as
// canceled.
func (m *member) showUnseen(ctx context.Context) {
	before, unseen := ctx.Err() != nil, m.unseen
	m.unseen = nil
	for _, h := range unseen {
		if err := h.showCaught(); err != nil {
			m.err = err
			return
		}
	}
	if !before && ctx.Err() != nil {
		m.result = &Result{Stopped: training.Canceled}
	}
}

// showCaught shows an event, and returns an error if that panics.
func (h happening) showCaught() (err error) {
	defer rounds.Catch(h.rounds, &err)
	h.show()
	return nil
}

// trainInTurn trains models one after the other, until add returns false.
func trainInTurn(ctx context.Context, members []*member, add func(*member) (more bool)) {
	var never atomic.Bool
	for _, m := range members {
		if m.run(ctx, &never); !add(m) {
			return
		}
	}
}

// trainAtOnce does the same with several models at once. The first model is trained on the caller's
// goroutine, which shows its progress. Then another goroutine starts in its place, and the caller waits for
// one model after the other.
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

// collect waits for one model after the other, and adds it.
func collect(ctx context.Context, members []*member, add func(*member) (more bool)) {
	for _, m := range members {
		<-m.done
		m.showUnseen(ctx)
		if !add(m) {
			return
		}
	}
}
