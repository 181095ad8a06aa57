package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// call is a run of a command for the parent process.
type call struct {
	*server
	ctx     context.Context
	request *request
	sets    []*dataset.Meta // loaded by the command
	output  pieces          // a model, or the values of queries
	text    bytes.Buffer    // the results as people read them, if the command prints JSON
	parent  *parent         // nil if the parent process has no functions
}

// run runs a command with the arguments of the request. It returns what the command printed or, if the
// request asks for a separate output, that output.
func (s *server) run(ctx context.Context, q *request) (event, pieces, error) {
	c := &call{server: s, ctx: ctx, request: q}
	defer arrays.Ask(c.values)()
	program := s.program()
	program.Caller = cli.Caller{Names: q.Names, Private: q.Private, Strict: q.Strict, Loaded: c.loaded}
	program.Caller.Text = &c.text
	if q.Own != nil {
		var err error
		if c.parent, err = newParent(ctx, s, q.Own); err != nil {
			return nil, nil, err
		}
		defer c.parent.unmap()
		program.Caller.Own = c.parent.functions()
	}
	if q.Ask {
		program.Caller.Round = c.round
	}
	switch {
	case q.Trains:
		return c.train(program)
	case q.Store != nil:
		return c.bin(program)
	case q.Judges:
		program.Caller.Output = &c.output
		_, printed, err := c.print(program)
		return event{"printed": string(slices.Concat(printed...)), "text": c.text.String()}, c.output, err
	}
	return c.print(program)
}

// values makes the parent process copy values of a matrix to where this process reads them.
func (c *call) values(q arrays.Question) error {
	var choice []byte
	for _, row := range q.Choice {
		choice = binary.LittleEndian.AppendUint64(choice, uint64(row))
	}
	e := event{"set": q.Set, "rows": q.Rows, "columns": q.Columns, "chosen": q.Chosen}
	_, err := c.ask(c.ctx, "values", e, pieces{choice})
	return err
}

// execute runs the command, which prints to out.
func (c *call) execute(program *cli.Program, out io.Writer) error {
	messages := cli.NewEvents(lines{c.server}, c.request.Reading)
	return program.Run(c.ctx, c.request.Args, out, io.Discard, messages)
}

// print runs a command that prints. If the parent process ends, nobody waits for the result, and partial work
// is not kept.
func (c *call) print(program *cli.Program) (event, pieces, error) {
	defer context.AfterFunc(c.ctx, func() { os.Exit(1) })()
	var printed bytes.Buffer
	stream.Stdout = &printed
	defer func() { stream.Stdout = nil }()
	err := c.execute(program, &printed)
	return event{"text": c.text.String()}, pieces{printed.Bytes()}, err
}

// train runs the command train, and returns the model. It is not an error if no tree can be grown from the
// data, because programs expect an estimator to accept such data.
func (c *call) train(program *cli.Program) (event, pieces, error) {
	program.Caller.Output = &c.output
	program.Caller.Defaults = []param.Setting{{Name: "allow_constant", Value: "true"}}
	err := c.execute(program, io.Discard)
	var panicked *training.PanicError
	var unfinished *train.UnfinishedError
	if c.output.Len() == 0 || errors.As(err, &panicked) || errors.As(err, &unfinished) {
		return nil, c.output, err
	}
	if err != nil && c.ctx.Err() == nil { // an error after training does not lose the model
		err = c.emit("warning", event{"message": "the model is complete, but: " + err.Error()}, nil)
		return nil, c.output, err
	}
	return nil, c.output, nil
}

// bin runs the command bin, which writes to a file of the parent process, and returns a description of that
// file.
func (c *call) bin(program *cli.Program) (event, pieces, error) {
	file, err := c.request.Store.open(os.O_WRONLY | os.O_TRUNC)
	if err != nil {
		return nil, nil, err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	program.Caller.Output = out
	err = c.execute(program, io.Discard)
	if err := errors.Join(err, out.Flush(), file.Close()); err != nil {
		return nil, nil, err
	}
	m := c.sets[0]
	names := m.Features
	if m.Context != nil {
		names = names[:m.Context.Raw]
	}
	return event{"rows": m.NumRows(), "queries": len(m.Queries), "features": names}, nil, nil
}

// loaded closes the files that the parent process passed, if nothing reads them again, and has it close its
// windows, to release the memory of arrays.
func (c *call) loaded(sets []*dataset.Meta, again bool) {
	c.sets = sets
	if c.parent != nil {
		c.parent.sets = sets
	}
	if again {
		return
	}
	for _, fd := range c.request.Arrays {
		os.NewFile(uintptr(fd), "arrays").Close()
	}
	c.emit("loaded", event{}, nil) // if it fails, the parent process has ended
}

// round waits for the parent process's answer after a round, and reports whether training continues.
func (c *call) round(r training.Round) bool {
	if r.Restored {
		return true
	}
	q, ok := c.receive(c.ctx)
	return ok && q.Op == "go"
}

// lines is the output for events that are already complete lines.
type lines struct{ *server }

func (l lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Write(line)
	return len(line), l.out.Flush()
}

// parameters lists the parameters of training trees, for data of any kind.
func (s *server) parameters(context.Context, *request) (event, pieces, error) {
	p, list := train.Default(), []any{}
	rows := slices.Concat(p.Trees.Table(), p.Layout.Table(), cli.Without(p.Checkpoints.Table(), "checkpoint"),
		cli.Rows(p.Table(), "input_model"), param.Table{train.PresetRow(&p.Preset)},
		cli.Rows(p.Table(), "report", "calibration", "calibration_label"))
	for _, row := range rows {
		list = append(list, event{"name": row.Name, "aliases": append([]string{}, row.Aliases...),
			"group":   row.Group,
			"default": row.Value.String(), "type": row.Value.Type(), "range": row.Value.Range(), "help": row.Help})
	}
	return event{"parameters": list}, nil, nil
}
