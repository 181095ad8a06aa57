// Package worker is the command worker, by which the Python package trains, scores and evaluates. It is
// not meant for people, and its protocol changes with the Python package, which brings its own binary.
//
// # Protocol
//
// Requests come on standard input and events go to standard output, each a JSON object on a line.
// A request with a field "payload" is followed by that many bytes, and so is an event. Exactly one
// request is in progress at a time. It ends with an event "result" or "error"; before that there may be
// others, and an event of a training run may have an answer: the request "go", or "stop", which ends the
// training. Requests "score" may be compact ([nextScore]), and then the result is a byte. The worker ends
// when standard input ends, or when its parent process does.
//
// Arrays are not sent. They are in files that both processes map into memory: one file for each set of
// data of a training run (package arrays), and one buffer for everything else ([buffer]). While a command
// reads a matrix, events "values" ask for some of its rows or columns, and the answer "go" says that they are
// in the window of the matrix. The event "loaded" says that no matrix is read anymore. Where the parent can
// pass file descriptors, the files have no names, so that nothing remains of them when both processes have
// ended, however they end.
//
//	run       arguments of a command ─► its messages, as in log_json=true ─► result: what it printed;
//	          of train, the model; of bin, what is in the file that it wrote
//	load      a model, as payload or by its path ─► result: a handle, and what is in the model
//	score     a handle, rows in the buffer ─► result: numbers in the buffer
//	…         see [server.handlers]
package worker

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Command returns the entry of the command. program returns the program that executes requests "run".
func Command(program func() *cli.Program) cli.Command {
	return cli.Command{
		Name:    "worker",
		Use:     "worker",
		Short:   "Serve the Python package on standard input and output",
		Example: "  lambdamart worker",
		Hidden:  true,
		New:     func() cli.Task { return task{program} },
	}
}

// task is an execution of the command. It has no parameters, because each request has its own.
type task struct{ program func() *cli.Program }

func (task) Table() param.Table { return nil }

func (t task) Run(ctx context.Context, env *cli.Env) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go endWithoutParent(cancel, os.Getppid())
	requests := os.Stdin
	empty, err := os.Open(os.DevNull) // what data=- reads
	if err != nil {
		return err
	}
	defer empty.Close()
	os.Stdin = empty
	return serve(ctx, t.program, requests, env.Stdout, os.Stdout)
}

// endWithoutParent calls cancel when the parent of the process changes, and ends the process if it is still
// running some time later. Standard input need not end in this case: a fork of the parent may hold the other
// end of the pipe.
func endWithoutParent(cancel func(), parent int) {
	for os.Getppid() == parent {
		time.Sleep(500 * time.Millisecond)
	}
	cancel()
	time.Sleep(5 * time.Second) // time to write a checkpoint
	os.Exit(1)
}

// request is a line of standard input, and the payload that follows it.
type request struct {
	Op      string `json:"op"`
	Payload int    `json:"payload"`

	Args    []string `json:"args"`    // of run: a command and its parameters
	Names   []string `json:"names"`   // of run: names of the sets of data
	Private []string `json:"private"` // of run: paths of data that only the parent knows
	Arrays  []int    `json:"arrays"`  // of run: file descriptors of arrays
	Strict  bool     `json:"strict"`  // of run: parameters of other commands are errors
	Trains  bool     `json:"trains"`  // of run: the command is train, and the result is the model
	Judges  bool     `json:"judges"`  // of run: the command is eval or compare, the result the values of queries
	Ask     bool     `json:"ask"`     // of run: wait for a request "go" or "stop" after each iteration
	Own     *own     `json:"own"`     // of run: functions of the parent process; nil: there are none
	Reading bool     `json:"reading"` // emit events "reading" while files are read
	Value   float64  `json:"value"`   // of go: the answer to an event "metric"

	Params []param.Setting `json:"params"` // of scorefile: how the file is read

	Store *file `json:"store"` // of run: what bin writes; of write: what it reads, nil for the payload

	Threads int `json:"threads"`

	Model   int            `json:"model"`  // the handle of a loaded model
	Path    string         `json:"path"`   // of a model or data file, or of the file that is written
	Output  string         `json:"output"` // of score: scores, leaves or contributions
	From    int            `json:"from"`   // first tree
	N       int            `json:"n"`      // number of trees; all that follow if below 1
	Kind    int            `json:"kind"`   // of scores: predictions, raw or probabilities
	Rows    int            `json:"rows"`
	Size    int            `json:"size"`    // of the buffer, in bytes
	Single  bool           `json:"single"`  // of score: rows are float32
	Numbers int            `json:"numbers"` // of score: the byte of the buffer at which the results begin
	Sparse  *arrays.Sparse `json:"sparse"`  // of score: the rows, in place of a row-major matrix
	Watch   int            `json:"watch"`   // of score: what is to be said about categories; 0: nothing
	// of score: the number of rows of each query, for a model with query context
	Sizes []int `json:"sizes"`

	Calibration string  `json:"calibration"` // of calibrate: the kind
	Event       float64 `json:"event"`       // of calibrate: the grade

	payload []byte
	compact bool // the request and its answer are not JSON
}

// largestPayload is the largest size of a payload, which is a model.
const largestPayload = 1 << 32

// errNoParent is the cause of cancellation when no more requests can come.
var errNoParent = errors.New("the parent process sends no more requests")

// next reads a request.
func next(in *bufio.Reader) (q request, err error) {
	if first, err := in.Peek(1); err != nil {
		return q, errNoParent
	} else if first[0] == compact {
		return nextScore(in)
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		return q, errNoParent
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return q, fmt.Errorf("a request is not JSON: %w", err)
	}
	if q.Payload < 0 || q.Payload > largestPayload {
		return q, fmt.Errorf("a payload of %d bytes", q.Payload)
	}
	q.payload = make([]byte, q.Payload)
	if _, err := io.ReadFull(in, q.payload); err != nil {
		return q, errNoParent
	}
	return q, nil
}

// compact is the first byte of a request for scores in compact form, and the whole answer to it, unless there
// are warnings.
const compact = 1

// nextScore reads a request "score" in compact form, which takes less time than JSON: the byte compact, and
// eight numbers. The last is Single plus twice Kind plus eight times Watch.
func nextScore(in *bufio.Reader) (request, error) {
	var b [1 + 8*8]byte
	if _, err := io.ReadFull(in, b[:]); err != nil {
		return request{}, errNoParent
	}
	number := func(i int) int { return int(int64(binary.LittleEndian.Uint64(b[1+8*i:]))) }
	return request{Op: "score", Output: "scores", compact: true, Model: number(0), Rows: number(1),
		From: number(2), N: number(3), Threads: number(4), Size: number(5), Numbers: number(6),
		Single: number(7)&1 != 0, Kind: number(7) >> 1 & 3, Watch: number(7) >> 3}, nil
}

// server is a worker at work.
type server struct {
	program func() *cli.Program
	answers chan request // to events

	mu     sync.Mutex
	out    *bufio.Writer
	direct io.Writer // for the answers to compact requests

	working sync.Mutex // held from when a request is read until it is answered
	asking  sync.Mutex // held from an event until its answer arrives

	models map[int]*loaded
	next   int // handle of the next model
	buffer buffer
	watch  *provenance.Watch // of the categories of rows that several requests score
}

// serve answers requests until in ends. That is not an error, regardless of what the worker is doing then.
//
// Writing to out uses another goroutine ([stream.Waiting]), and waking its thread takes longer than scoring a
// few rows. So the answers to compact requests are written to direct, which is the same output without that.
// Each is a single byte, and the parent process has read the answer before it: writing it never waits.
func serve(ctx context.Context, program func() *cli.Program, in io.Reader, out, direct io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &server{program: program, answers: make(chan request), out: bufio.NewWriter(out), direct: direct,
		models: map[int]*loaded{}}
	go func() { cancel(s.answerAll(ctx, cancel, bufio.NewReaderSize(in, 1<<16))) }()
	<-ctx.Done()
	s.working.Lock()
	defer s.working.Unlock()
	s.buffer.close()
	if err := context.Cause(ctx); err != errNoParent && err != context.Canceled {
		return err
	}
	return nil
}

// answerAll answers the requests that it reads. It returns why no more can be read or answered. Most are
// answered at once, because passing them to another goroutine takes longer than scoring a few rows. Those in
// [lasting] are answered while it reads on: the answers to their events, and the end of the input.
func (s *server) answerAll(ctx context.Context, failed func(error), in *bufio.Reader) error {
	done := make(chan struct{}) // is closed when the last request is answered
	close(done)
	for {
		q, err := next(in)
		if err != nil {
			return err
		}
		if (q.Op == "go" || q.Op == "stop") && s.pass(q, done) {
			continue
		}
		<-done
		done = make(chan struct{})
		s.working.Lock() // here, because the input may end before a goroutine of its own runs
		finish := func() { s.working.Unlock(); close(done) }
		if lasting[q.Op] {
			go func() {
				defer finish()
				if err := s.answer(ctx, &q); err != nil {
					failed(err)
				}
			}()
			continue
		}
		err = s.answer(ctx, &q)
		finish()
		if err != nil {
			return err
		}
	}
}

// pass passes on an answer, and reports whether it was wanted before the request in progress was done.
func (s *server) pass(q request, done <-chan struct{}) bool {
	select {
	case s.answers <- q:
		return true
	case <-done:
		return false
	}
}

// receive returns the next answer; ok is false if no more will come.
func (s *server) receive(ctx context.Context) (q request, ok bool) {
	select {
	case <-ctx.Done():
		return q, false
	case q = <-s.answers:
		return q, true
	}
}

// errNoAnswer means that the parent process ended the run.
var errNoAnswer = errors.New("the parent process ended the run")

// ask emits an event and returns the answer.
func (s *server) ask(ctx context.Context, kind string, e event, payload pieces) (request, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if err := s.emit(kind, e, payload); err != nil {
		return request{}, err
	}
	q, ok := s.receive(ctx)
	if !ok || q.Op != "go" {
		return q, errNoAnswer
	}
	return q, nil
}

// handler handles a request. Its results become the event "result" with a payload.
type handler func(s *server, ctx context.Context, q *request) (result event, payload pieces, err error)

var handlers = map[string]handler{
	"run":        (*server).run,
	"load":       (*server).load,
	"free":       (*server).free,
	"score":      (*server).score,
	"scorefile":  (*server).scoreFile,
	"text":       (*server).text,
	"write":      (*server).write,
	"importance": (*server).importance,
	"calibrate":  (*server).calibrate,
	"parameters": (*server).parameters,
}

// lasting are the requests during which others may arrive.
var lasting = map[string]bool{"run": true, "scorefile": true}

// event is a line of standard output. The field "event" has its kind.
type event map[string]any

// answer handles a request. Its error is one of writing: an error of the request becomes an event.
func (s *server) answer(ctx context.Context, q *request) error {
	work, ok := handlers[q.Op]
	if !ok {
		return s.emit("error", event{"message": fmt.Sprintf("the worker does not know the request %q; the "+
			"Python package and its binary are of different versions", q.Op)}, nil)
	}
	result, payload, err := work(s, ctx, q)
	var panicked *training.PanicError
	var unfinished *train.UnfinishedError
	switch {
	case errors.As(err, &panicked): // the payload is the model so far
		return s.emit("error", event{"message": err.Error(), "kind": "panic"}, payload)
	case errors.As(err, &unfinished): // the same
		return s.emit("error", event{"message": err.Error(), "kind": "unfinished"}, payload)
	case err != nil:
		return s.emit("error", event{"message": err.Error()}, nil)
	}
	if q.compact && len(result["warnings"].([]string)) == 0 {
		_, err := s.direct.Write([]byte{compact})
		return err
	}
	if result == nil {
		result = event{}
	}
	return s.emit("result", result, payload)
}

// emit writes an event.
func (s *server) emit(kind string, e event, payload pieces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e["event"] = kind
	if n := payload.Len(); n > 0 {
		e["payload"] = n
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	s.out.Write(append(line, '\n'))
	for _, piece := range payload {
		s.out.Write(piece)
	}
	return s.out.Flush()
}

// pieces are bytes that were written one after the other. A [bytes.Buffer] is copied to twice the memory when
// it grows, and a model may be large.
type pieces [][]byte

// Len returns the number of bytes.
func (p pieces) Len() (n int) {
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// Write implements [io.Writer].
func (p *pieces) Write(b []byte) (int, error) {
	const size = 1 << 16
	for rest := b; len(rest) > 0; {
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == cap((*p)[last]) {
			*p, last = append(*p, make([]byte, 0, size)), last+1
		}
		piece := &(*p)[last]
		n := min(len(rest), cap(*piece)-len(*piece))
		*piece, rest = append(*piece, rest[:n]...), rest[n:]
	}
	return len(b), nil
}
