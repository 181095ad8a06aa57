package xgboost

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/internal/target"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Form is one of the forms of a model file.
type Form int

// The forms that are written.
const (
	Dump   Form = iota // as get_dump(dump_format="json"), for Elasticsearch and OpenSearch
	JSON               // as save_model("model.json")
	UBJSON             // as save_model("model.ubj")
)

// Options say what is written. The zero value suits most.
type Options struct {
	Form Form

	// Objective is the objective that the file names: rank:ndcg, rank:map,
	// rank:pairwise, reg:linear, binary:logitraw, with which scores stay as they
	// are, reg:squarederror, of which this is true but which search engines
	// refuse, or binary:logistic and reg:logistic, with which engines make
	// 1/(1+exp(-score)) of them. Empty means rank:ndcg; a dump is then an array of
	// trees that names none, which means the same.
	Objective string

	// MissingAsZero makes a dump ask OpenSearch 3.8 and later to take absent
	// values for zeros. Other engines refuse such a file, and a model that sends
	// the two apart is refused.
	MissingAsZero bool
}

const defaultObjective = "rank:ndcg"

// writable are the objectives that may be written.
var writable = map[string]link{
	"rank:ndcg": identity, "rank:map": identity, "rank:pairwise": identity, "reg:linear": identity, "reg:squarederror": identity,
	"binary:logitraw": logit, "binary:logistic": logit, "reg:logistic": logit,
}

// noBaseScore is the base score that adds nothing to scores.
var noBaseScore = map[link]string{identity: "0E0", logit: "5E-1"}

func (o *Options) check() error {
	switch _, known := writable[o.Objective]; {
	case o.Objective != "" && !known:
		return &Error{Err: fmt.Errorf("%w: objective %q cannot be written", ErrUnsupported, document.Clip(o.Objective))}
	case o.MissingAsZero && o.Form != Dump:
		return &Error{Err: fmt.Errorf("%w: missing_as_zero belongs to dumps", ErrUnsupported)}
	}
	return nil
}

// abilities are what XGBoost and the search engines can hold.
func (o *Options) abilities() target.Abilities {
	if o.MissingAsZero {
		return target.Abilities{Engine: "OpenSearch with missing_as_zero", Missing: target.MissingZero}
	}
	return target.Abilities{Engine: "XGBoost", Missing: target.MissingSide}
}

// Write writes e, which must be valid, so that every float32 value goes to the
// side that it goes to in e, and so does NaN. Thresholds become the smallest
// float32 above them, except those from the largest float32 on, which become
// that: it alone then goes right. Leaves are rounded to float32, so scores
// differ by at most (n+1)·2^-24·Σ|leaf| for n trees.
//
// The bytes depend on e and opts only. Nodes are numbered level by level, as in
// XGBoost. A model without trees is written as one leaf of 0. The base score is 0.
//
// Errors: a [*target.Refusal] for a model that XGBoost cannot hold, an [*Error]
// that wraps [ErrName] for names that are empty, occur twice or have one of []<,
// or [ErrValue] for leaves beyond float32.
func Write(w io.Writer, e *tree.Ensemble, opts Options) error {
	if err := cmp.Or(opts.check(), checkWritable(e, opts.abilities())); err != nil {
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
			return &Error{Where: fmt.Sprintf("tree %d", i), Err: err}
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

func checkWritable(e *tree.Ensemble, abilities target.Abilities) error {
	if err := e.Validate(); err != nil {
		return &Error{Err: err}
	}
	if err := abilities.Check(e); err != nil {
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
			return &Error{Where: fmt.Sprintf("feature %d", i), Err: fmt.Errorf("%w: %q: %s", ErrName, document.Clip(f.Name), why)}
		}
		seen[f.Name] = i
	}
	return nil
}
