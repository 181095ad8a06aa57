// Package cli is the frame of the program: it reads command lines, flags and configuration files, and
// prints help and messages, for commands that it knows only as entries of one table.
//
//	arguments ─► [Program] ─► [Command]: the entry that is meant
//	                            │ New
//	                            ▼
//	             settings ─► [Task]: its Table is set from the layers of settings
//	             file, line     │ Check, and then Run
//	                            ▼
//	             [Env]: standard output, messages ([Console]), the settings as they were given
//
// # Parameters
//
// A task has the parameters of its [Task.Table]. The frame adds those that all commands have: config,
// log_json, verbosity, and task where LightGBM's command line has one. Parameters that only LightGBM has are
// accepted without effect, and those of other commands in a configuration file, so that one file serves all
// commands. Outputs ([param.Written]) are checked and reserved before the task runs. Parameters that
// several commands share are functions and types of this package.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Program is a program of several commands.
type Program struct {
	Short, Long, Example string // its help
	Commands             []Command

	Peers  peers.Group // includes this process; nil: it works alone
	Caller Caller
}

// Command is the entry of a command in the table of the program.
type Command struct {
	Name                 string
	Use                  string // how it is called, beginning with its name
	Short, Long, Example string // its help

	// Main lists the most important parameters. If there are any, help of the command shows only these; "help
	// COMMAND all" shows all.
	Main []string

	// Tasks are the values of LightGBM's parameter task that mean this command. If the arguments name neither
	// a command nor a task, the first command with any Tasks runs.
	Tasks []string

	// Files lists parameters whose values may come first among the arguments, without names.
	Files []string

	// Refused maps parameters of other commands that are errors here, instead of being ignored, to the
	// reason: users who give them expect something else.
	Refused map[string]string

	// Instead maps parameters of other commands to what to do, for the error if they are given here.
	Instead map[string]string

	// New returns a task with default values for all parameters.
	New func() Task

	// Needs lists the required parameters, which name files.
	Needs []string

	// Folder means that output= is a folder, which need not exist; other outputs may be in it.
	Folder bool

	// Serves means that the command runs until a signal ends it, which is not an error then.
	Serves bool

	// Peers means that several processes can run the command together.
	Peers bool

	// Functions means that the command uses an objective and metrics of a caller ([Caller]).
	Functions bool

	// Hidden commands are not listed by help.
	Hidden bool

	// Print runs a command without parameters; New is nil then.
	Print func(w io.Writer) error
}

// Task is one execution of a command. It has the values of the command's own parameters.
type Task interface {
	// Table returns the command's own parameters, bound to the task. Within a heading, help lists them in
	// this order.
	Table() param.Table

	// Run does the work, after the parameters are set.
	Run(ctx context.Context, env *Env) error
}

// Checker is a task with parameters that may contradict each other.
type Checker interface {
	// Check returns an error for invalid parameters before anything is read, and reports warnings. It may
	// name outputs that the user did not name.
	Check(env *Env) error
}

// WordTaker is a task with arguments that are not parameters, at any position.
type WordTaker interface {
	// TakeWords takes the arguments without "=".
	TakeWords(words []string)
}

// Env is the environment of a task.
type Env struct {
	Stdout   io.Writer
	Messages *Console

	Table param.Table // the parameters of the command, and those of LightGBM without effect

	// Config and Line are the settings as the user wrote them, in the configuration file and on
	// the command line. The latter take precedence.
	Config, Line []param.Setting

	// Peers are the processes that run the task together. Each does its part of the work; only peer 0 writes
	// results.
	Peers peers.Group

	// Given lists the names, not aliases, of the parameters that the user set.
	Given []string

	Caller *Caller
}

// NoEffect deals with parameters that have no effect for a reason, such as "without data". One on the command
// line is an error; one in a configuration file, which may serve several commands, gets a warning.
func (e *Env) NoEffect(reason string, names ...string) error {
	for _, s := range slices.Concat(e.Config, e.Line) {
		row := e.Table.Find(s.Name)
		switch {
		case row == nil || !slices.Contains(names, row.Name):
		case s.Place == "":
			return Usagef("%v has no effect %s", s, reason)
		default:
			e.Messages.Warn(fmt.Sprintf("%v has no effect %s", s, reason))
		}
	}
	return nil
}

// UsageError is the error for a command line or a configuration that is invalid regardless of the content of
// files.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [*UsageError] with the text of [fmt.Errorf].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Usage wraps an error of parameters in a [*UsageError]. It returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// DataError returns an error of opening or loading data. It wraps the error in a [*UsageError] if a parameter
// caused it.
func DataError(err error) error {
	if errors.Is(err, data.ErrBinned) || errors.Is(err, data.ErrBinning) {
		return &UsageError{err}
	}
	return err
}

// OpenError converts an error from opening data that a model is to score. An error about the numbering of
// features gets the model's file name.
func OpenError(model string, err error) error {
	if errors.Is(err, data.ErrFeatureZero) {
		return fmt.Errorf("%s: %w", model, data.ErrFeatureZero)
	}
	return DataError(err)
}

// interrupted returns err or, if ctx was canceled, an error that wraps the cause, such as a signal. It has
// the text of err if that is more than a consequence: an output that could not be written.
func interrupted(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case cause == nil || errors.Is(err, cause):
		return err
	case err == nil || errors.Is(err, context.Canceled):
		return cause
	}
	return fmt.Errorf("%w\n%w", err, cause)
}
