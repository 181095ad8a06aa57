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
// whatever else the program does ends, also if it waits for input. A second one ends the program immediately.
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
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/mpi"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/peers"
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
	results := &resultWriter{w: stdout}
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
		messages.Stopped(interrupted.Error())
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
		first := (<-signals).(syscall.Signal)
		signal.Stop(signals)
		cancel(&interruptError{first})
	}()
	return ctx, func() { cancel(nil) }
}
