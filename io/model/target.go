package model

import (
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Target is a file format for programs that load models, found by one of its names.
type Target struct {
	Name        string   // the name by which it was found
	Names       []string // all names, the main one first; several if several engines load the file
	FormerNames []string // names in earlier versions, which still work
	Format      Format   // of the file as it is written by default
	LoadedBy    string   // the programs that load it
	IsRead      bool     // whether [Read] can read it
	Float32     bool     // values of features are float32 for these programs

	entry *entry
}

// Targets returns all targets, found by their main names, in the order of the help.
func Targets() []Target {
	var targets []Target
	for i := range table {
		if e := &table[i]; e.open != nil {
			targets = append(targets, Target{
				Name: e.name, Names: append([]string{e.name}, e.aliases...), FormerNames: slices.Clone(e.former),
				Format: e.format, LoadedBy: e.loadedBy, IsRead: e.read != nil,
				Float32: e.scoring.float32, entry: e,
			})
		}
	}
	return targets
}

// FindTarget returns the target with the given name, which may be a name in earlier versions. If there is
// none, the error is an [ErrOptions].
func FindTarget(name string) (Target, error) {
	for _, t := range Targets() {
		if slices.Contains(t.Names, name) || slices.Contains(t.FormerNames, name) {
			t.Name = name
			return t, nil
		}
	}
	if why := gone.Why(gone.Value, "to="+name); why != "" {
		return Target{}, optionErrorf("%s", why)
	}
	return Target{}, optionErrorf("must be one of %s", strings.Join(targetNames(), ", "))
}

// targetNames returns the names of all targets, without those in earlier versions.
func targetNames() []string {
	var names []string
	for _, t := range Targets() {
		names = append(names, t.Names...)
	}
	return names
}

// Options returns the parameters of this target alone, with their defaults. Set them with [Options.Settings].
func (t Target) Options() param.Table { return t.entry.open(false).options }

// Score returns the score of a row, with one value for each feature of e, in programs that load the
// file as it is written by default.
func (t Target) Score(e *tree.Ensemble, row []float64) float64 {
	return scoreIn(t.entry.scoring.arithmetic, e, row)
}
