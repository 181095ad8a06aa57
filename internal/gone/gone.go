// Package gone has the reasons why this version refuses what earlier ones had: parameters, values of
// parameters (targets of export are values of to), commands and files. Whatever refuses such a thing looks
// it up here, so that the same is said everywhere: what it was, until when, and what to do instead.
package gone

import (
	"slices"
	"strings"
)

// Kind is a kind of thing.
type Kind int

// The kinds of things, and what they are looked up by.
const (
	Parameter Kind = iota // its name, with underscores
	Value                 // name=value, with the proper name of the parameter
	Command               // its name
	File                  // a word of this package for a kind of file, such as YAML
)

// The files that are refused by their content or their ending.
const (
	YAML      = "yaml"
	QuickRank = "quickrank"
	PMML      = "pmml"
	Shards    = "shards"
)

// thing is something that is gone.
type thing struct {
	kind    Kind
	names   string // separated by blanks; if off is not nil, those of one parameter, the proper name first
	was     string // what it was, in the past tense
	until   string // the day on which it went
	instead string // what to do now

	// off are the values of a parameter that turned it off. Models and configuration files list them, so they
	// are accepted, and change nothing; other values are refused: all of them if off is nil, none if it is the
	// empty list all.
	off []string
}

func (t *thing) why() string { return t.was + " until " + t.until + "; " + t.instead }

// Why returns the reason why something is refused, in the form "it was … until DAY; do …", and "" for
// what is not gone.
func Why(kind Kind, name string) string {
	for i := range things {
		if t := &things[i]; t.kind == kind && slices.Contains(strings.Fields(t.names), name) {
			return t.why()
		}
	}
	return ""
}

// Off is a parameter that is gone, except that the values that turned it off are accepted.
type Off struct {
	Name    string
	Aliases []string
	Values  []string // that are accepted, the default first; all if empty
	Why     string   // as a sentence
}

// Offs returns the parameters of which some values are still accepted.
func Offs() (offs []Off) {
	for i := range things {
		t := &things[i]
		if names, why := strings.Fields(t.names), t.why(); t.off != nil {
			offs = append(offs, Off{names[0], names[1:], t.off, strings.ToUpper(why[:1]) + why[1:] + "."})
		}
	}
	return offs
}
