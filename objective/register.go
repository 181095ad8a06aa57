package objective

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/param"
)

// entries is the register of built-in objectives, in the order in which help lists them. A new
// objective is a file of its own, an entry here and, if it has parameters, a field of [AllParams].
var entries = []Entry{
	{
		Name:      "lambdarank",
		ModelName: "lambdarank",
		Help:      "LambdaMART: the logistic loss of pairs of documents, each weighted by the change of nDCG that swapping them would make.",
		params:    func(p *AllParams) parameters { return &p.LambdaRankParams },
		construct: func(p *AllParams) Objective { return NewLambdaRank(p.LambdaRankParams) },
	},
}

// AllParams holds the parameters of all built-in objectives, each objective's own in a struct that
// is embedded here. A field has the name of the parameter that it is bound to ("sigmoid" is
// Sigmoid), so that no two structs have a field of the same name. An objective may also read the
// parameters of another one.
type AllParams struct {
	LambdaRankParams
}

// Entry is a built-in objective.
type Entry struct {
	Name      string   // value of the parameter objective, and the objective's Name
	Aliases   []string // other values that mean the same
	ModelName string   // what a model file says: an objective that LightGBM loads
	Help      string   // what is trained, in a sentence

	params    func(*AllParams) parameters // the objective's own; nil if it has none
	construct func(*AllParams) Objective
}

// parameters are an objective's own parameters.
type parameters interface {
	setDefaults()
	table() param.Table // bound to the struct's fields
}

// Entries returns all built-in objectives.
func Entries() []Entry {
	all := slices.Clone(entries)
	for i := range all {
		all[i].Aliases = slices.Clone(all[i].Aliases)
	}
	return all
}

// New returns the objective that an entry describes.
func (e Entry) New(p *AllParams) Objective { return e.construct(p) }

// Table returns the entry's own parameters, bound to the fields of p: names on the command line and
// in configuration files, aliases, bounds and help. It is empty if the objective has none.
func (e Entry) Table(p *AllParams) param.Table {
	if e.params == nil {
		return nil
	}
	return e.params(p).table()
}

// DefaultAllParams returns the defaults of all built-in objectives.
func DefaultAllParams() AllParams {
	var p AllParams
	for _, e := range entries {
		if e.params != nil {
			e.params(&p).setDefaults()
		}
	}
	return p
}

// Table returns the parameters of all built-in objectives, bound to the fields of p.
func Table(p *AllParams) param.Table {
	var t param.Table
	for _, e := range entries {
		t = append(t, e.Table(p)...)
	}
	return t
}

// Choice binds a string that is the name of a built-in objective. An alias sets the name that it
// stands for.
func Choice(dst *string) param.Value {
	var options []param.Option
	for _, e := range entries {
		options = append(options, param.Option{Name: e.Name, Aliases: e.Aliases})
	}
	return param.Named(dst, options...)
}

// ErrUnknown is wrapped by the error of [New].
var ErrUnknown = errors.New("unknown objective")

// New returns the built-in objective of the given name or alias, with the parameters p, which it
// copies. If there is none of that name, the error lists those there are and suggests the nearest.
func New(name string, p *AllParams) (Objective, error) {
	if e := find(name); e != nil {
		return e.New(p), nil
	}
	return nil, fmt.Errorf("%w %q (an objective of your own is passed as a value): %w", ErrUnknown, name, Choice(&name).Check())
}

// find returns the entry of the given name or alias, nil if there is none.
func find(name string) *Entry {
	for i := range entries {
		if e := &entries[i]; e.Name == name || slices.Contains(e.Aliases, name) {
			return e
		}
	}
	return nil
}
