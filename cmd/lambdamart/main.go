// Command lambdamart trains gradient-boosted trees and networks for ranking, stores data
// binned for trees, scores and judges rankings, compares rankers, shows what is in a
// model, and exports models to other engines. "lambdamart help" lists its commands;
// docs/parameters.md its parameters.
//
// Results go to standard output, messages and progress to standard error.
//
// # Exit status
//
//	0    done
//	1    something failed
//	2    the command line or a configuration file is wrong
//	130  ended by Ctrl-C (128 + 2, the number of the signal); 143 by SIGTERM
//
// On the first of these signals training ends with the iteration at hand and the
// model is written as far as it is; a second one ends the program at once.
//
// # Messages for machines
//
// With log_json=true every message is a JSON object on a line of its own, on
// standard error. Its field "event" tells which it is; the others are those of
// the types named xEvent in this package:
//
//	data       a set of data has been read: rows, queries, labels
//	report     what is about to be trained: features, memory, metrics, when training ends
//	iteration  an iteration, with the metrics if they were due
//	stopped    training, or the program, ended, and why
//	profile    where the time of a training went (profile=true)
//	best       the best iteration by the stop metric
//	plan       what bench is going to do, and what of it is done already
//	begin, end a training of bench
//	wrote      the files of results that bench has written
//	saved      a model was written: path, bytes, SHA-256
//	scored     documents were scored: how many, in how many seconds
//	note, warning, error  a remark, a likely mistake, the reason for failing
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const (
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128 // plus the signal's number
)

func main() {
	ctx, stop := untilSignal()
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	args, err := withTask(args)
	messages := newConsole(stderr)
	if err == nil {
		root := newRoot(messages)
		root.SetArgs(args)
		root.SetOut(stdout)
		root.SetErr(stderr)
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	var interrupted *interruptError
	if errors.As(err, &interrupted) {
		messages.emit(stoppedEvent{Message: interrupted.Error()})
		return exitSignal + int(interrupted.signal)
	}
	messages.emit(errorEvent{Message: err.Error()})
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// interruptError says that the user ended the program.
type interruptError struct{ signal syscall.Signal }

func (e *interruptError) Error() string { return "ended by " + e.signal.String() + " signal" }

// untilSignal returns a context that the first SIGINT or SIGTERM cancels, with an
// [*interruptError] as its cause. The second one ends the program.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		first := (<-signals).(syscall.Signal)
		signal.Stop(signals)
		cancel(&interruptError{first})
	}()
	return ctx, func() { cancel(nil) }
}
