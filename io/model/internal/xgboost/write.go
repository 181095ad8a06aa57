package xgboost

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Options say what is written. The zero value writes a dump that all search engines load.
type Options struct {
	Form Form

	// Objective is the objective that the file names. With rank:ndcg, rank:map, rank:pairwise,
	// reg:linear and binary:logitraw, engines return the scores unchanged. So they do with
	// reg:squarederror, but search engines refuse it. With binary:logistic and reg:logistic,
	// engines return 1/(1+exp(-score)). Empty means rank:ndcg; a dump is then an array of trees
	// that names no objective, which has the same meaning.
	Objective string

	// MissingAsZero writes a dump that asks OpenSearch 3.8 and later to treat absent values as
	// zeros. Other engines refuse such a file. A model that sends absent values and zeros to
	// different sides is refused.
	MissingAsZero bool
}

const defaultObjective = "rank:ndcg"

// writable are the objectives that can be written.
var writable = map[string]link{
	"rank:ndcg": identity, "rank:map": identity, "rank:pairwise": identity, "reg:linear": identity,
	"reg:squarederror": identity,
	"binary:logitraw":  identity, "binary:logistic": logit, "reg:logistic": logit,
}

// noBaseScore is the base score that adds nothing to scores.
var noBaseScore = map[link]string{identity: "0E0", logit: "5E-1"}

func (o *Options) check() error {
	switch _, known := writable[o.Objective]; {
	case o.Objective != "" && !known:
		return fmt.Errorf("xgboost: %w: objective %q cannot be written", fault.ErrUnsupported,
			fault.Clip(o.Objective))
	case o.MissingAsZero && o.Form != Dump:
		return fmt.Errorf("xgboost: %w: missing_as_zero belongs to dumps", fault.ErrUnsupported)
	}
	return nil
}

// Capabilities returns what XGBoost and the search engines can hold of a model.
func (o Options) Capabilities() engine.Capabilities {
	if o.MissingAsZero {
		return engine.Capabilities{Engine: "OpenSearch with missing_as_zero", Missing: engine.MissingZero,
			Float32: true}
	}
	return engine.Capabilities{Engine: "XGBoost", Missing: engine.MissingSide, Float32: true}
}

// Write writes e, which must be valid, so that every float32 value and NaN goes to the same side
// as in e. Thresholds become the smallest float32 above them. There is none above the largest
// float32, which then stands for all larger thresholds, so that it alone goes right. Leaves are
// rounded to float32, so that scores differ by at most (n+1)·2^-24·Σ|leaf| for n trees.
//
// The bytes depend on e and opts only. Nodes are numbered level by level, as in XGBoost. A model
// without trees is written as one leaf of value 0. The base score is 0.
//
// Errors are a [*engine.Refusal] for a model that XGBoost cannot hold, or wrap
// [ErrName] for names that are empty, occur twice or contain one of []<, or [ErrValue] for leaves
// beyond float32.
func Write(w io.Writer, e *tree.Ensemble, opts Options) error {
	if err := cmp.Or(opts.check(), checkWritable(e, opts.Capabilities())); err != nil {
		return err
	}
	trees := e.Trees
	if len(trees) == 0 {
		trees = []tree.Tree{constant(0)}
	}
	numbered := make([]*nodes, len(trees))
	for i := range trees {
		n, err := fromTree(&trees[i])
		if err != nil {
			return fmt.Errorf("xgboost: tree %d: %w", i, err)
		}
		numbered[i] = n
	}
	out := document.NewJSON()
	if opts.Form == UBJSON {
		out = document.NewUBJSON()
	}
	if opts.Form == Dump {
		writeDump(out, e, numbered, opts)
	} else {
		writeModel(out, e, numbered, opts)
	}
	text := out.Bytes()
	if opts.Form != UBJSON {
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

func checkWritable(e *tree.Ensemble, capabilities engine.Capabilities) error {
	if err := e.Validate(); err != nil {
		return fmt.Errorf("xgboost: %w", err)
	}
	capabilities.Float32 = false // fromTree finds leaves beyond float32
	if err := capabilities.Check(e); err != nil {
		return fmt.Errorf("xgboost: %w", err)
	}
	seen := make(map[string]int, len(e.Features))
	for i, f := range e.Features {
		before, twice := seen[f.Name]
		var why string
		switch {
		case f.Name == "":
			why = "it is empty"
		case twice:
			why = fmt.Sprintf("feature %d has it too", before)
		case strings.ContainsAny(f.Name, "[]<"):
			why = "XGBoost takes no name with one of []<"
		}
		if why != "" {
			return fmt.Errorf("xgboost: feature %d: %w: %q: %s", i, ErrName, fault.Clip(f.Name), why)
		}
		seen[f.Name] = i
	}
	return nil
}
