package xgboost

import (
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Capabilities returns what XGBoost and the search engines can represent.
func Capabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "XGBoost", Missing: engine.MissingSide, Float32: true}
}

// Write writes e, which must be valid, so that every float32 value and NaN takes the same path as in e.
// Thresholds become the smallest float32 above them. Thresholds beyond the largest float32 become this
// number, which alone then goes right. Leaves are rounded to float32, so scores differ by at most
// (n+1)·2^-24·Σ|leaf| for n trees.
//
// The form is JSON or Dump. The bytes depend only on e and the form. Nodes are numbered level by level, as in XGBoost. A model without
// trees is written as one leaf of value 0. The base score is 0.
//
// e must be one that [Capabilities] allow. Errors wrap [ErrName] for names that are empty or contain one of
// []<, or come from w.
func Write(w io.Writer, e *tree.Ensemble, form Form) error {
	if err := checkNames(e.Features); err != nil {
		return err
	}
	trees := e.Trees
	if len(trees) == 0 {
		trees = []tree.Tree{constant(0)}
	}
	numbered := make([]*nodes, len(trees))
	for i := range trees {
		numbered[i] = fromTree(&trees[i])
	}
	var text []byte
	if form == Dump {
		text = appendDump(nil, e.FeatureNames(), numbered)
	} else {
		text = document.AppendJSON(nil, modelObject(e.FeatureNames(), numbered))
	}
	_, err := w.Write(append(text, '\n'))
	return err
}

func checkNames(features []tree.Feature) error {
	for i, f := range features {
		why := ""
		switch {
		case f.Name == "":
			why = "it is empty"
		case strings.ContainsAny(f.Name, "[]<"):
			why = "XGBoost takes no name with one of []<"
		}
		if why != "" {
			return fmt.Errorf("xgboost: feature %d: %w: %q: %s", i, ErrName, fault.Clip(f.Name), why)
		}
	}
	return nil
}
