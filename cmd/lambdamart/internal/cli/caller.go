package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

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
