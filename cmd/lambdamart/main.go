// Command lambdamart trains gradient-boosted trees and networks for ranking, stores binned data, scores
// and evaluates rankings, compares rankers, describes models, and exports models to other engines.
// "lambdamart help" lists its commands, docs/parameters.md its parameters.
//
// Results go to standard output, messages and progress to standard error.
//
// # Exit status
//
//	0    success
//	1    failure
//	2    the command line or a configuration file is wrong
//	130  ended by Ctrl-C (128 + 2, the number of the signal); 143: ended by SIGTERM; 129: by SIGHUP,
//	     when its terminal was closed
//
// On the first of these signals, training ends within the current iteration and the model is written;
// whatever else the program does ends, also if it waits for input, or for a reader of its output. A second
// one ends the program immediately.
//
// # Messages for programs
//
// With log_json=true every message is a JSON object on a line of its own, on standard error. Its field
// "event" names the kind of message:
//
//	data       a set of data has been read: rows, queries, labels
//	report     a description of the training that begins: features, memory, metrics, when it ends
//	iteration  an iteration, with the metrics if this iteration is evaluated
//	stopped    training, or the program, ended, and why
//	profile    the time of each phase of training (profile=true)
//	best       the best iteration by the stop metric
//	plan       the training runs that bench will run, and those that are already done
//	begin, end a training run of bench
//	wrote      the files of results that bench has written
//	saved      a model was written: path, bytes, SHA-256
//	checkpoint a checkpoint was written (verbosity=2), or training continues from it
//	scored     documents were scored: how many, in how many seconds
//	note, warning, error  information, a likely mistake, the reason for a failure
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/judging"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/models"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/studies"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/worker"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/mpi"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/stream"
)

const (
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128 // plus the signal's number
)

func main() {
	useLimits()
	world, err := mpi.Join()
	if err != nil {
		cli.NewConsole(os.Stderr).Failed(err)
		os.Exit(exitFailure)
	}
	ctx, stop := untilSignal(world != nil)
	defer stop()
	if world != nil {
		os.Exit(runTogether(ctx, world))
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, peers.Group{}))
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, group peers.Group) int {
	messages := cli.NewConsole(stderr)
	results := &resultWriter{w: stream.Waiting(stdout)}
	p := program()
	p.Peers = group
	defer stream.Until(ctx)()
	err := p.Run(ctx, args, results, stderr, messages)
	if err == nil {
		err = results.err
	}
	if err == nil {
		return 0
	}
	var interrupted *interruptError
	if errors.As(err, &interrupted) {
		if err.Error() == interrupted.Error() {
			messages.Say("stopped", err.Error(), "message", err.Error())
		} else {
			messages.Failed(err)
		}
		return exitSignal + int(interrupted.signal)
	}
	messages.Failed(err)
	var usage *cli.UsageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// resultWriter remembers the first error of writing to standard output, because commands do not check each of
// the many lines that they print.
type resultWriter struct {
	w   io.Writer
	err error
}

func (r *resultWriter) Write(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.w.Write(b)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	if err != nil {
		r.err = fmt.Errorf("writing standard output: %w", err)
	}
	return n, r.err
}

// interruptError is the error of a program that the user ended.
type interruptError struct{ signal syscall.Signal }

func (e *interruptError) Error() string { return "ended by " + e.signal.String() + " signal" }

// untilSignal returns a context that is canceled by the first SIGINT, SIGTERM or SIGHUP, or SIGUSR1 if a
// launcher has started the process, with an [*interruptError] as its cause. The second signal ends the
// program immediately.
func untilSignal(launched bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	if launched {
		notifyLaunched(signals)
	}
	go func() {
		cancel(&interruptError{(<-signals).(syscall.Signal)})
		second := (<-signals).(syscall.Signal) // signal.Stop would ignore it again in what a shell started with &
		os.Exit(exitSignal + int(second))
	}()
	return ctx, func() { cancel(nil) }
}

// program returns the program. Only its table of commands knows all of them. The documentation lists their
// parameters in its order.
func program() *cli.Program {
	return &cli.Program{
		Short: "LambdaMART: gradient-boosted trees for ranking",
		Long: `lambdamart trains gradient-boosted trees for ranking (LambdaMART) on LETOR text, CSV,
TSV and Parquet, scores documents, judges rankings and shows what is in a model. Its
models are LightGBM model files.

The parameter ranker makes train train a neural ranker instead, and bench compares
neural rankers with trees on your data.

Parameters have LightGBM's names and aliases. They are written as key=value or as
flags (num_leaves=63 or --num-leaves 63), and may be in a file that config=
names. Without the name of a command, the parameter task chooses it, as in LightGBM's
own command line: lambdamart config=train.conf`,
		Example: `  lambdamart train data=train.txt valid=vali.txt output_model=model.txt num_leaves=63 patience=50
  lambdamart eval data=test.txt input_model=model.txt
  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  lambdamart model model.txt
  lambdamart bench data=folds rankers=lambdamart,ranknet,listnet`,
		Commands: []cli.Command{
			train.Command(),
			train.Bin(),
			train.Refit(),
			models.Calibrate(),
			models.Predict(),
			judging.Eval(),
			judging.Compare(),
			studies.CV(),
			studies.Curve(),
			studies.Tradeoff(),
			studies.Tune(),
			studies.Select(),
			studies.Bench(),
			models.Explain(),
			models.Transform(),
			models.Model(),
			models.Export(),
			models.CheckExport(),
			models.Serve(),
			worker.Command(program),
		},
	}
}

// behind is how long peers other than 0 wait before they report an error. Most errors occur on all peers, and
// peer 0 reports them immediately and ends the others.
const behind = time.Second

// runTogether executes the command line with other peers. Results and messages come from peer 0, and an error
// from the peer that has it.
func runTogether(ctx context.Context, world *mpi.World) int {
	if world.Rank() == 0 {
		return world.Leave(run(ctx, os.Args[1:], os.Stdout, os.Stderr, peers.Join(world)))
	}
	var messages last
	status := run(ctx, os.Args[1:], io.Discard, &messages, peers.Join(world))
	if status != 0 && status < exitSignal {
		time.Sleep(behind)
		fmt.Fprintf(os.Stderr, "rank %d of %d on %s: %s\n", world.Rank(), world.Size(), world.Host(), messages.line)
	}
	return world.Leave(status)
}

// last is a writer that keeps the last message.
type last struct{ line []byte }

func (l *last) Write(b []byte) (int, error) {
	l.line = append(l.line[:0], bytes.TrimSuffix(b, []byte("\n"))...)
	return len(b), nil
}

// useLimits keeps the process within the limits of its control group, unless the variables of the Go runtime,
// GOMAXPROCS and GOMEMLIMIT, are set.
//
// The runtime already limits the number of threads to the CPU quota, rounded up, but uses at least two. With
// a quota of one CPU or less, two threads are slower than one: they use up the quota in half the time and
// then wait for each other.
//
// The garbage collector lets the heap grow to twice its live size, regardless of the memory limit, and works
// more near GOMEMLIMIT. A tenth of the limit is left for everything else; less if the limit is small, because
// the runtime counts a few megabytes that it never touches.
func useLimits() {
	if cpus, limited := limits.CPUs(); limited && cpus <= 1 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if bytes, source, limited := limits.Memory(); limited && os.Getenv("GOMEMLIMIT") == "" {
		const untouched, few = 2 << 20, 128 << 20
		if source == limits.Addresses && bytes < few {
			cli.NewConsole(os.Stderr).Warn("ulimit -v leaves so few addresses that the Go runtime, which reserves " +
				"over 1 GB that is not memory, may end with \"out of memory\": add 2 GB to it, or limit the memory by " +
				"a control group instead (systemd-run -p MemoryMax=)")
		}
		debug.SetMemoryLimit(bytes - max(bytes/10-untouched, bytes/20))
	}
}
