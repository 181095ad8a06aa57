package worker

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/learner"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// call is a run of a command for the parent process.
type call struct {
	*server
	ctx     context.Context
	request *request
	model   bytes.Buffer
	parent  *parent // nil if the parent process has no functions
}

// run runs a command with the arguments of the request, and returns what it printed; of train, the model.
func (s *server) run(ctx context.Context, q *request) (event, []byte, error) {
	c := &call{server: s, ctx: ctx, request: q}
	program := s.program()
	program.Caller = cli.Caller{Names: q.Names, Private: q.Private, Loaded: c.loaded}
	if q.Own != nil {
		var err error
		if c.parent, err = newParent(ctx, s, q.Own); err != nil {
			return nil, nil, err
		}
		defer c.parent.unmap()
		program.Caller.Own = c.parent.functions()
	}
	if !q.Trains { // without the parent nobody waits for the result, and what is half done is not kept
		defer context.AfterFunc(ctx, func() { os.Exit(1) })()
	}
	if q.Trains {
		program.Caller.Model, program.Caller.Strict = &c.model, true
		// Data from which no tree can be grown is no exception, which programs expect of an estimator.
		program.Caller.Defaults = []param.Setting{{Name: "allow_constant", Value: "true"}}
	}
	if q.Ask {
		program.Caller.Round = c.round
	}
	var printed bytes.Buffer
	err := program.Run(ctx, q.Args, &printed, io.Discard, cli.NewEvents(lines{s}, q.Reading))
	if !q.Trains {
		return nil, printed.Bytes(), err
	}
	if c.model.Len() > 0 && err != nil && ctx.Err() == nil { // the model is not lost with what comes after it
		err = s.emit("warning", event{"message": "the model is complete, but: " + err.Error()}, nil)
	}
	if c.model.Len() > 0 {
		err = nil
	}
	return nil, c.model.Bytes(), err
}

// loaded closes the files that the parent process gave, if nothing reads them again: the memory of arrays is
// free then.
func (c *call) loaded(sets []*dataset.Meta, again bool) {
	if c.parent != nil {
		c.parent.sets = sets
	}
	if again {
		return
	}
	for _, fd := range c.request.Arrays {
		os.NewFile(uintptr(fd), "arrays").Close()
	}
}

// round waits for the answer of the parent process to a round of training.
func (c *call) round(r training.Round) bool {
	if r.Restored {
		return true
	}
	q, ok := c.receive(c.ctx)
	return ok && q.Op == "go"
}

// lines is the output of events that have lines of their own.
type lines struct{ *server }

func (l lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Write(line)
	return len(line), l.out.Flush()
}

// parameters lists the parameters of training trees on data of any kind.
func (s *server) parameters(context.Context, *request) (event, []byte, error) {
	p, list := train.Default(), []any{}
	rows := slices.Concat(p.Trees.Table(), p.Layout.Table(), cli.Without(p.Checkpoints.Table(), "checkpoint"),
		cli.Rows(p.Table(), "input_model"), param.Table{learner.PresetRow(&p.Preset)}, cli.Rows(p.Table(), "report"))
	for _, row := range rows {
		list = append(list, event{"name": row.Name, "aliases": append([]string{}, row.Aliases...), "group": row.Group,
			"default": row.Value.String(), "type": row.Value.Type(), "range": row.Value.Range(), "help": row.Help})
	}
	return event{"parameters": list}, nil, nil
}
