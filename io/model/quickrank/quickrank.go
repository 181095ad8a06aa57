// Package quickrank reads the models of QuickRank that are ensembles of trees.
//
// # The format
//
// An XML document with a description of the training, of which only the type is
// looked at, and the trees (see io/model/internal/treexml):
//
//	<?xml version="1.0"?>
//	<ranker>
//	  <info> <type>LAMBDAMART</type> <trees>1</trees> ... </info>
//	  <ensemble>
//	    <tree id="1" weight="0.1"> <split> ... </split> </tree>
//	  </ensemble>
//	</ranker>
//
// The types LAMBDAMART, LAMBDAMART-SELECTIVE, STOCHASTIC-NEGATIVE, MART,
// RANDOMFOREST, OBVLAMBDAMART, OBVMART and DART are read. Others are refused by
// name.
//
// # How QuickRank scores, and what a model becomes
//
// Values and thresholds are float32, outputs, weights and sums float64. A row goes
// left if x <= threshold, NaN right. After each tree output·weight is added. The
// model does the same, and scores are equal in every bit.
//
// Features count from 1, as in the LETOR files that QuickRank reads: feature n is
// column n, and column 0 is not used. Weights, gains and counts are not in the
// file, and zero.
package quickrank

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/io/model/internal/modelfile"
	"github.com/lambdamart/lambdamart/io/model/internal/treexml"
	"github.com/lambdamart/lambdamart/tree"
)

// Kinds of faults, to be found with [errors.Is].
var (
	// ErrFormat: the file is not a model of QuickRank's.
	ErrFormat = treexml.ErrFormat
	// ErrTruncated: the file ends too early.
	ErrTruncated = treexml.ErrTruncated
	// ErrNumber: a number that is none, or is out of range.
	ErrNumber = treexml.ErrNumber
	// ErrDepth: a tree is deeper than 5,000 splits.
	ErrDepth = treexml.ErrDepth
	// ErrUnsupported: the model is of a type that is not read.
	ErrUnsupported = errors.New("unsupported type of model")
)

// Error is a fault in a model file, with its place. Err wraps one of the errors
// above.
type Error struct {
	Path         string // of the file; empty if the model was read from a plain reader
	Line, Column int    // counted from 1
	Tree         int    // number of the tree, from 0; -1 outside of trees
	Err          error
}

func (e *Error) Error() string {
	text := "quickrank: "
	if e.Path != "" {
		text += e.Path + ": "
	}
	text += fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	if e.Tree >= 0 {
		text += fmt.Sprintf("tree %d: ", e.Tree)
	}
	return text + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// ReadFile reads the model in a file. Errors in it are [*Error] with its path.
func ReadFile(path string) (*tree.Ensemble, error) {
	return modelfile.Read(path, "quickrank", Read, func(e *Error) { e.Path = path })
}

// Read reads a model. The ensemble is valid: see [tree.Ensemble.Validate].
// Errors are [*Error], or those of r.
func Read(r io.Reader) (*tree.Ensemble, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("quickrank: %w", err)
	}
	x := treexml.NewReader(data, 0, treexml.Rules{NaN: tree.MissingNaN})
	e, err := ranker(x)
	if fault := (*treexml.Error)(nil); errors.As(err, &fault) {
		return nil, &Error{Line: fault.Line, Column: fault.Column, Tree: fault.Tree, Err: fault.Err}
	}
	return e, err
}

// objectives are LightGBM's names of what the types of models were trained for.
var objectives = map[string]string{
	"LAMBDAMART": "lambdarank", "LAMBDAMART-SELECTIVE": "lambdarank", "STOCHASTIC-NEGATIVE": "lambdarank",
	"OBVLAMBDAMART": "lambdarank", "DART": "lambdarank",
	"MART": "regression", "OBVMART": "regression", "RANDOMFOREST": "regression",
}

// ranker reads the whole document.
func ranker(x *treexml.Reader) (*tree.Ensemble, error) {
	for _, name := range []string{"ranker", "info"} {
		if _, err := x.Start(name); err != nil {
			return nil, err
		}
	}
	kind, err := info(x)
	if err != nil {
		return nil, err
	}
	objective, known := objectives[kind]
	if !known {
		return nil, x.Fail(fmt.Errorf("%w %q", ErrUnsupported, kind))
	}
	if _, err := x.Start("ensemble"); err != nil {
		return nil, err
	}
	e, err := x.Ensemble()
	if err != nil {
		return nil, err
	}
	e.Objective = objective
	if err := x.End(); err != nil {
		return nil, err
	}
	return e, x.Finish()
}

// info reads an info element, whose start was passed, and returns the type.
func info(x *treexml.Reader) (kind string, err error) {
	for {
		token, err := x.Next()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return kind, nil
		case xml.StartElement:
			text, err := x.Text()
			if err != nil {
				return "", err
			}
			if t.Name.Local == "type" {
				kind = text
			}
		default:
			return "", x.Fail(fmt.Errorf("%w: want an element of <info>", ErrFormat))
		}
	}
}
