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

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
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

	// Words means that arguments without "=", at any position, are not parameters ([Env].Words).
	Words bool

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

// Env is the environment of a task.
type Env struct {
	Stdout   io.Writer
	Messages *Console

	Table param.Table // the parameters of the command, and those of LightGBM without effect

	// Config and Line are the settings as the user wrote them, in the configuration file and on
	// the command line. The latter take precedence.
	Config, Line []param.Setting

	Words []string // arguments that are not parameters and may be names of files, if the command has any

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

// OpenError converts an error from opening data that a model is to score. An error about the numbering of
// features gets the model's file name.
func OpenError(model string, err error) error {
	if errors.Is(err, data.ErrFeatureZero) {
		return fmt.Errorf("%s: %w", model, data.ErrFeatureZero)
	}
	return err
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

// Caller is the program that runs a task, with its additions to the parameters. The zero value is the shell,
// which adds nothing; the command worker runs tasks for Python.
type Caller struct {
	Names   []string // of the sets of data in messages, the training data first; empty: names of files
	Private []string // paths that people should not see

	Strict   bool            // parameters of other commands are errors
	Defaults []param.Setting // default values that differ from the command's; the user gave none of them

	// Functions of the caller. An objective replaces the one that parameters name, and uses no parameters of
	// built-in ones. Metrics come after those that parameters name.
	study.Own

	Round func(training.Round) bool // called after each round of train; reports whether training continues

	// Output receives, instead of a file, the model of train, the bins of bin, or the values of the queries
	// of eval and compare. nil: they go to a file.
	Output io.Writer

	// Text receives the results of a command as people read them, if it prints JSON; nil: nobody reads them.
	Text io.Writer

	// Loaded is called with the sets of data, the training data first, before the first run. again reports
	// whether they will be read again.
	Loaded func(sets []*dataset.Meta, again bool)
}

// Name returns the name of set number in messages: the caller's or, if it gives none, other.
func (c *Caller) Name(number int, other string) string {
	if number < len(c.Names) {
		return c.Names[number]
	}
	return other
}

// Named returns a function that replaces the names of sets by the caller's, one after the other, and then
// calls show.
func (c *Caller) Named(show func(s *data.Set)) func(s *data.Set) {
	number := 0
	return func(s *data.Set) {
		s.Name = c.Name(number, s.Name)
		number++
		show(s)
	}
}

// IsPrivate reports whether people should not see a path.
func (c *Caller) IsPrivate(path string) bool { return slices.Contains(c.Private, path) }

// Show tells the caller which sets of data are used for training and validation.
func (c *Caller) Show(again bool, training *data.Set, validation ...*data.Set) {
	if c.Loaded == nil {
		return
	}
	sets := []*dataset.Meta{training.Meta}
	for _, s := range validation {
		sets = append(sets, s.Meta)
	}
	c.Loaded(sets, again)
}

// Cautions returns warnings about parameters that the user gave under these names. An objective of the caller
// uses no parameters of built-in ones.
func (c *Caller) Cautions(p booster.Params, given []string) []string {
	if c.Objective == nil {
		return p.Cautions()
	}
	p.Objective = ""
	cautions := p.Cautions()
	for _, row := range objective.Table(&p.AllParams) {
		if slices.Contains(given, row.Name) && row.Name != "label_gain" {
			cautions = append(cautions,
				fmt.Sprintf("%s=%v has no effect with an objective of your own", row.Name, row.Value))
		}
	}
	return cautions
}

// Chosen returns the names of the parameters that presets must not change: those that the user gave, and the
// objective if it is the caller's.
func (c *Caller) Chosen(given []string) []string {
	if c.Objective == nil {
		return given
	}
	return append(slices.Clone(given), "objective")
}
