// Package param describes parameters once, in a table, and sets them from key=value arguments and from
// configuration files:
//
//	p := booster.DefaultParams()
//	settings, err := param.ParseArgs([]string{"num_leaves=63", "learning_rate=0.05"})
//	effective, err := p.Table().Apply(settings)
//
// The command lambdamart makes its flags, its help and its documentation from the same tables.
//
// # Values
//
// A parameter is bound to a variable, which holds its default when the table is made. There is no
// "unset": zero, false and the empty list are values like any other.
//
// # Settings
//
// A [Setting] is one assignment as the user wrote it, with its place. Settings come in layers; a later
// layer takes precedence over an earlier one, as the command line does over a configuration file.
// Within a layer a parameter may be given twice, also under different aliases, only if the value is
// the same. Hyphens in names count as underscores.
//
// # Configuration files
//
// Each line has the form "key = value". Text after '#' is a comment; blank lines are skipped; quotation marks
// around a value are dropped. This is LightGBM's format.
//
// # Faults
//
// All faults are reported together, in one error, each with the name and value as they were written,
// the place, and what is allowed.
package param

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Parameter is one entry of a table.
type Parameter struct {
	Name    string   // with underscores
	Aliases []string // other names, with underscores
	Group   string   // heading under which help and documentation list it
	Help    string   // one or more sentences
	Value   Value    // where the value is kept
	File    FileUse  // use of the file or folder that the value names, if it names one

	// Repeat lets a parameter be given several times: the values are joined
	// by commas.
	Repeat bool

	// SameModel marks a parameter on which models do not depend, or only through other parameters that it sets.
	SameModel bool

	// Inert marks a parameter without an effect, which is accepted because files of other programs have it.
	Inert bool
}

// Value is a parameter's variable, with its text form and its bounds.
type Value interface {
	// Set stores the value that text denotes. It checks the form only.
	Set(text string) error
	// String returns the current value in the form that Set reads.
	String() string
	// Check returns an error if the current value is not allowed.
	Check() error
	// Type names the kind of value in a word or two, such as "integer".
	Type() string
	// Range describes the allowed values in a few words; it is empty if all are allowed.
	Range() string
}

// FileUse is how a command uses the file or folder that a parameter names.
type FileUse int

const (
	NoFile FileUse = iota // the value does not name a file
	Read                  // as a file, or as several separated by commas if the parameter may be repeated
	Written
)

// Table is a list of parameters with distinct names and aliases, in the order
// in which help shows them and in which settings are applied.
type Table []Parameter

// Setting is one assignment as it was written.
type Setting struct {
	Name  string // name or alias, as written
	Value string
	Place string // such as "train.conf:12"; empty for the command line
}

// String returns "name=value", with the place if it is not the command line.
func (s Setting) String() string {
	if s.Place == "" {
		return s.Name + "=" + s.Value
	}
	return s.Name + "=" + s.Value + " (" + s.Place + ")"
}

// Find returns the parameter with the given name or alias, nil if there is none.
func (t Table) Find(name string) *Parameter {
	name = canonical(name)
	for i := range t {
		if p := &t[i]; p.Name == name || slices.Contains(p.Aliases, name) {
			return p
		}
	}
	return nil
}

// In returns the parameters under a heading, in their order.
func (t Table) In(group string) Table {
	var found Table
	for _, p := range t {
		if p.Group == group {
			found = append(found, p)
		}
	}
	return found
}

func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// Check returns the faults of all current values, nil if there are none.
func (t Table) Check() error {
	var faults []error
	for i := range t {
		if err := t[i].check(); err != nil {
			faults = append(faults, t[i].fault(err))
		}
	}
	return joined(faults)
}

// fault returns the error that something is wrong with the current value.
func (p *Parameter) fault(err error) error { return fmt.Errorf("%s=%v: %w", p.Name, p.Value, err) }

// mostFaults is the largest number of faults that a message lists.
const mostFaults = 20

// joined returns the faults as one error, of which a line of text is one fault; nil if there are none.
func joined(faults []error) error {
	if more := len(faults) - mostFaults; more > 0 {
		faults = append(faults[:mostFaults], fmt.Errorf("and %d more", more))
	}
	return errors.Join(faults...)
}
