package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/param"
)

// Target is a form in which models are written, found under one of its names.
type Target struct {
	name  string
	entry *entry
}

// Targets returns all targets under their first names, in the order in which help lists them.
func Targets() []Target {
	var targets []Target
	for i := range table {
		if e := &table[i]; e.open != nil {
			targets = append(targets, Target{e.name, e})
		}
	}
	return targets
}

// FindTarget returns the target with the given name, and whether there is one. Names of earlier
// versions are known too.
func FindTarget(name string) (Target, bool) {
	for _, t := range Targets() {
		if slices.Contains(t.Names(), name) || slices.Contains(t.FormerNames(), name) {
			return Target{name, t.entry}, true
		}
	}
	return Target{}, false
}

// TargetNames returns the names of all targets, without those of earlier versions.
func TargetNames() []string {
	var names []string
	for _, t := range Targets() {
		names = append(names, t.Names()...)
	}
	return names
}

// Name returns the name under which the target was found.
func (t Target) Name() string { return t.name }

// Names returns all names of the target, the usual one first. A target has several names if
// several engines load the same file.
func (t Target) Names() []string { return append([]string{t.entry.name}, t.entry.aliases...) }

// FormerNames returns the names that earlier versions had for the target. They still work.
func (t Target) FormerNames() []string { return slices.Clone(t.entry.former) }

// Format returns the format of the file.
func (t Target) Format() Format { return t.entry.format }

// IsRead reports whether [Read] reads the file.
func (t Target) IsRead() bool { return t.entry.read != nil }

// LoadedBy names the programs that load the file.
func (t Target) LoadedBy() string { return t.entry.loadedBy }

// Engines returns the engines that load the file, each with its first version that does, as far as
// the version matters. If the target was found under the name of an engine, it is that one alone.
func (t Target) Engines() []engine.Version {
	i := slices.IndexFunc(t.entry.engines, func(v engine.Version) bool { return v.Name == t.name })
	if i >= 0 {
		return []engine.Version{t.entry.engines[i]}
	}
	return slices.Clone(t.entry.engines)
}

// Missing returns the rule by which an engine that loads the file treats missing values. The zero
// Version stands for any program that loads it.
func (t Target) Missing(loader engine.Version) engine.Missing { return t.entry.missing(loader) }

// Capabilities returns what the file can hold of a model, with the default options.
func (t Target) Capabilities() engine.Capabilities {
	return t.entry.open(loader{}).capabilities()
}

// Scoring returns how the programs that load the file compute scores, with the default options.
func (t Target) Scoring() Scoring { return t.entry.scoring }

// Options returns the parameters that belong to this target alone, with their defaults. The
// settings of [Options] set them.
func (t Target) Options() param.Table { return t.entry.open(loader{}).options }

// checkEngine refuses an engine that does not load the file.
func (t Target) checkEngine(v engine.Version) error {
	if v.IsZero() {
		return nil
	}
	var names []string
	for _, first := range t.Engines() {
		switch {
		case first.Name != v.Name:
			names = append(names, first.Name)
		case v.Before(first.Major, first.Minor, first.Patch):
			return optionErrorf("engine=%v: to=%s is loaded from %v on", v, t.name, first)
		default:
			return nil
		}
	}
	return optionErrorf("engine=%v: to=%s is loaded by %s", v, t.name,
		cmp.Or(strings.Join(names, " and "), "no engine whose version matters"))
}
