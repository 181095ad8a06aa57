package model

import (
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
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
		if e := &table[i]; e.writer != nil {
			targets = append(targets, Target{
				Name: e.name, Names: append([]string{e.name}, e.aliases...), FormerNames: slices.Clone(e.former),
				Format: e.format, LoadedBy: e.loadedBy, IsRead: e.read != nil,
				Float32: e.scoring.float32, entry: e,
			})
		}
	}
	return targets
}

// findTarget returns the target with the given name, which may be a name in earlier versions. If there is
// none, the error is an [ErrOptions].
func findTarget(name string) (Target, error) {
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
func (t Target) Options() param.Table {
	return slices.DeleteFunc(defaultChoices().table(), func(row param.Parameter) bool {
		return !slices.Contains(t.entry.options, row.Name)
	})
}

// Format is a format of model files. Its value is the name of the format in messages.
type Format string

// The formats. Source code also has "Go source", "C source" and "Java source".
const (
	LightGBMText  Format = "LightGBM text"      // io/model/internal/lightgbm
	LightGBMJSON  Format = "LightGBM JSON"      // io/model/internal/lightgbm: dump_model
	XGBoostJSON   Format = "XGBoost JSON"       // io/model/internal/xgboost: save_model
	XGBoostUBJSON Format = "XGBoost UBJSON"     // io/model/internal/xgboost: save_model
	XGBoostDump   Format = "XGBoost JSON dump"  // io/model/internal/xgboost: get_dump
	RankLib       Format = "RankLib XML"        // io/model/internal/ranklib
	SolrJSON      Format = "Solr JSON"          // io/model/internal/search
	VespaJSON     Format = "Vespa JSON"         // io/model/internal/search
	ElasticJSON   Format = "Elasticsearch JSON" // io/model/internal/search
	ONNX          Format = "ONNX"               // io/model/internal/onnx
)

// entry describes a format. The table of formats has one for each format and explains how to add one.
type entry struct {
	format Format
	// name of the format in the list of readable formats; empty if it cannot be read, or if the phrase of an
	// earlier entry includes it
	phrase string
	sign   sign
	is     func(data []byte) bool                    // reports whether a file's content looks like the format
	read   func(data []byte) (*tree.Ensemble, error) // nil: the format is only written
	run    string                                    // for such a format: how its engine scores the test vectors

	// The other fields describe the target. They are zero for formats that are only read.

	name     string   // of the target
	aliases  []string // other names, for other engines that load the same file
	former   []string // names of earlier versions, which are still accepted
	loadedBy string   // the programs that load the file

	scoring scoring               // of the programs, with the default options
	options []string              // names of the parameters of choices that the target has
	writer  func(*choices) writer // nil: it is only read

	// names may contain any bytes; otherwise they must be UTF-8
	anyBytes bool
	// moves features to the columns that their new names give; nil if names are only names
	place func(*tree.Ensemble) (*tree.Ensemble, error)
	// option that also moves features; empty if there is none
	numbering string
	// remarks for the user; nil if there are none
	notes func(e *tree.Ensemble, size int) []string
}

// scoring describes how the programs that load a file compute a score.
type scoring struct {
	arithmetic string // of the sum of leaf values
	float32    bool   // values of features are float32
	inOrder    bool   // trees are added in their order
}

// How most programs score.
var (
	float64InOrder = scoring{arithmetic: inFloat64, inOrder: true}
	float32InOrder = scoring{arithmetic: inFloat32, float32: true, inOrder: true}
)

// writer writes files of a target with its options.
type writer struct {
	format       Format              // of the file; that of the entry if empty
	capabilities engine.Capabilities // what the file can represent
	scoring      scoring             // that of the entry if empty
	// exclude returns a function that reports values that the file sends to the wrong side. It, or what it
	// returns, is nil if there are none.
	exclude func(*tree.Ensemble) func(feature int, x float64) bool
	// write writes a valid model that the file can represent, with distinct names, which are UTF-8 unless the
	// entry allows any bytes.
	write func(w io.Writer, e *tree.Ensemble) error
}
