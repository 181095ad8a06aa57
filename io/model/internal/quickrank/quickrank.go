// Package quickrank reads the models of QuickRank that are ensembles of trees.
//
// # The format
//
// An XML document with a description of the training run and the trees (see io/model/internal/treexml). Only
// the type in the description is used:
//
//	<?xml version="1.0"?>
//	<ranker>
//	  <info> <type>LAMBDAMART</type> <trees>1</trees> ... </info>
//	  <ensemble>
//	    <tree id="1" weight="0.1"> <split> ... </split> </tree>
//	  </ensemble>
//	</ranker>
//
// The types LAMBDAMART, LAMBDAMART-SELECTIVE, STOCHASTIC-NEGATIVE, MART, RANDOMFOREST,
// OBVLAMBDAMART, OBVMART and DART are read. Others are refused by name.
//
// # How QuickRank scores, and what a model becomes
//
// Values and thresholds are float32; outputs, weights and sums are float64. A row goes left if x <=
// threshold, and NaN goes right. After each tree, output·weight is added to the score. The model does the
// same, so its scores are equal in every bit.
//
// Features count from 1, as in the LETOR files that QuickRank reads: feature n is column n, and
// column 0 is not used. Weights, gains and counts are not in the file; they are zero.
package quickrank

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/treexml"
	"github.com/lambdamart/lambdamart/tree"
)

// Kinds of faults, to be found with [errors.Is]. A file that violates the format is
// ErrFormat of package io/model.
var (
	// ErrUnsupported: the model is of a type that is not read.
	ErrUnsupported = fault.Kind(fault.ErrUnsupported, "unsupported type of model")
)

// Read reads the content of a file. The ensemble is valid; see [tree.Ensemble.Validate]. Errors are
// [*treexml.Error].
func Read(data []byte) (*tree.Ensemble, error) {
	x := treexml.NewReader(data, 0, treexml.Rules{NaN: tree.MissingNaN})
	e := ranker(x)
	if err := x.Err(); err != nil {
		return nil, fmt.Errorf("quickrank: %w", err)
	}
	return e, nil
}

// Is reports whether data, the content of a file, looks like a model of QuickRank.
func Is(data []byte) bool {
	text := document.TrimLeft(data)
	return bytes.HasPrefix(text, []byte("<?xml")) || bytes.HasPrefix(text, []byte("<ranker"))
}

// objectives maps the types of models that are read to LightGBM's names for their objectives.
var objectives = map[string]string{
	"LAMBDAMART": "lambdarank", "LAMBDAMART-SELECTIVE": "lambdarank", "STOCHASTIC-NEGATIVE": "lambdarank",
	"OBVLAMBDAMART": "lambdarank", "DART": "lambdarank",
	"MART": "regression", "OBVMART": "regression", "RANDOMFOREST": "regression",
}

// ranker reads the whole document.
func ranker(x *treexml.Reader) *tree.Ensemble {
	x.Start("ranker")
	x.Start("info")
	kind := info(x)
	objective, known := objectives[kind]
	if !known {
		x.Fail(fmt.Errorf("%w %q", ErrUnsupported, kind))
	}
	e := x.Ensemble()
	e.Objective = objective
	x.End()
	x.Finish()
	return e
}

// info reads an info element, whose start has been read, to its end and returns the type.
func info(x *treexml.Reader) (kind string) {
	for x.Err() == nil {
		switch t := x.Next().(type) {
		case xml.EndElement:
			return kind
		case xml.StartElement:
			if text := x.Text(); t.Name.Local == "type" {
				kind = text
			}
		default:
			x.Fail(fmt.Errorf("%w: want an element of <info>", treexml.ErrModel))
		}
	}
	return kind
}
