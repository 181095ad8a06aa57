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

// Caller is the program that runs a task, with what it adds to the parameters. The zero value is the shell,
// which adds nothing; Python stands behind the command worker.
type Caller struct {
	Names   []string // of the sets of data for people, the training data first; empty: they have their own
	Private []string // paths of data that mean nothing to people

	Strict   bool            // parameters of other commands are errors
	Defaults []param.Setting // parameters that begin with other values; the user gave none of them

	// Functions of the caller. An objective is used in place of the one that parameters name, and has none of
	// the parameters of built-in ones. Metrics come after those that parameters name.
	study.Own

	Round func(training.Round) bool // is called after each round of train, and reports whether training goes on

	// Output gets, in place of a file, the model of train or the bins of bin; of eval and compare, the values of
	// the queries. nil: there is a file.
	Output io.Writer

	// Loaded is called with the sets of data, the training data first, before the first run. again reports
	// whether they will be read once more.
	Loaded func(sets []*dataset.Meta, again bool)
}

// Name returns the name of a set of data for people, by its number; other is its own name.
func (c *Caller) Name(number int, other string) string {
	if number < len(c.Names) {
		return c.Names[number]
	}
	return other
}

// Named returns a function that gives sets the caller's names, one after the other, and then calls show.
func (c *Caller) Named(show func(s *data.Set)) func(s *data.Set) {
	number := 0
	return func(s *data.Set) {
		s.Name = c.Name(number, s.Name)
		number++
		show(s)
	}
}

// IsPrivate reports whether a path means nothing to people.
func (c *Caller) IsPrivate(path string) bool { return slices.Contains(c.Private, path) }

// GoesOn reports whether training goes on after a round.
func (c *Caller) GoesOn(round training.Round) bool { return c.Round == nil || c.Round(round) }

// Show tells the caller which sets of data are trained on and judged.
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

// Cautions returns what is doubtful about parameters that the user gave under these names. An objective of
// the caller uses none of those of built-in ones.
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

// Chosen returns the names of the parameters that nothing chooses any more: those that the user gave, and the
// objective if it is of the caller.
func (c *Caller) Chosen(given []string) []string {
	if c.Objective == nil {
		return given
	}
	return append(slices.Clone(given), "objective")
}
