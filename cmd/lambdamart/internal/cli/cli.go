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
// log_json, verbosity, and task where LightGBM's command line has one. Parameters of other commands
// and those that only LightGBM has are accepted without effect, so that one configuration file serves
// all commands. Outputs ([param.Written]) are checked and reserved before the task runs. Rows that several
// commands have are functions and types of this package.
package cli

import (
	"context"
	"io"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/peers"
)

// Program is a program of several commands.
type Program struct {
	Short, Long, Example string // its help
	Commands             []Command

	Peers  peers.Group // of which this process is one; nil: it is alone
	Caller Caller
}

// Command is the entry of a command in the table of the program.
type Command struct {
	Name                 string
	Use                  string // how it is called, beginning with its name
	Short, Long, Example string // its help

	// Main are the names of the parameters that matter to most people. If there are any, help of the command
	// lists only these; "help COMMAND all" lists all.
	Main []string

	// Tasks are the values of LightGBM's parameter task that mean this command. The first command
	// that has any is the one that runs where the arguments name neither a command nor a task.
	Tasks []string

	// Files are the names of parameters whose values may be first among the arguments, without
	// the names.
	Files []string

	// Config says what the file is that config= names, if it is not one of key = value lines. The
	// task is a ConfigReader then.
	Config string

	// Refused are parameters of other commands that this one does not accept, not even without
	// effect, because a user who gives them expects something else than the command does. The values
	// say why.
	Refused map[string]string

	// New returns a task with the default values of all parameters.
	New func() Task

	// Needs are the names of the parameters that must be given: files.
	Needs []string

	// Folder says that output= is a folder, which need not exist; other outputs may lie in it.
	Folder bool

	// Serves says that the command runs until a signal ends it, which is no error then.
	Serves bool

	// Peers says that several processes can run the command together.
	Peers bool

	// Functions says that the command uses an objective and metrics of a caller ([Caller]).
	Functions bool

	// Hidden commands are not listed by help.
	Hidden bool

	// Print is what a command without parameters does; New is nil then.
	Print func(w io.Writer) error
}

// Task is one execution of a command. The type holds the values of the command's own parameters.
type Task interface {
	// Table returns the command's own parameters, bound to the task. Help lists them in this order
	// under each heading.
	Table() param.Table

	// Run does the work, after the parameters are set.
	Run(ctx context.Context, env *Env) error
}

// Checker is a task with parameters that can contradict each other.
type Checker interface {
	// Check returns an error for parameters that cannot be right, before anything is read, and says what is
	// doubtful about others. It may name outputs that the user did not.
	Check(env *Env) error
}

// ConfigReader is a task whose configuration file has a form of its own.
type ConfigReader interface {
	// ReadConfig reads the file and returns the settings of parameters in it.
	ReadConfig(path string) ([]param.Setting, error)
}

// WordTaker is a task with arguments that are not parameters, wherever they stand.
type WordTaker interface {
	// TakeWords takes the arguments without "=", and returns those that mean parameters, written as
	// key=value.
	TakeWords(words []string) []string
}

// Env is what a task finds around it.
type Env struct {
	Stdout   io.Writer
	Messages *Console

	Table param.Table // all parameters that the command accepts, those without effect included

	// Config and Line are the settings as the user wrote them, in the configuration file and on
	// the command line. The latter take precedence.
	Config, Line []param.Setting

	// Peers are the processes that run the task together. Only this one's part of the work is its own; what
	// is written comes from rank 0.
	Peers peers.Group

	// Given are the proper names of the parameters that the user gave a value.
	Given []string

	Caller *Caller
}
