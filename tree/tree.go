// Package tree has the types of fitted models, regression trees and ensembles of them, and computes
// their scores:
//
//	scorer, err := tree.Compile(ensemble) // which package io/model has read
//	err = scorer.Score(scores, rows)
//
// A search server needs only this package and io/model; training is in package booster.
//
// # How a row is scored
//
// A row is a vector of float64, one value for each entry of [Ensemble.Features]. In each tree it goes from
// the root to a leaf. The score is the sum of the leaf values in the order of the trees, added one after the
// other in float64, beginning with 0. LightGBM does the same, and scores are bit for bit its raw scores.
//
// At a numeric node, the node's missing type decides (see [Decision]):
//
//	MissingNone  NaN counts as 0;                then left if value <= threshold
//	MissingZero  NaN and |value| <= 1e-35f:      the default side; else as above
//	MissingNaN   NaN:                            the default side; else as above
//
// 1e-35f is [ZeroThreshold]. Infinities compare as numbers, and -0 as 0.
//
// At a categorical node the value is truncated to an integer, and the row goes left if the node's
// set contains it. NaN, infinities, negative integers and integers beyond the set go right.
//
// # Two representations
//
// An [Ensemble] is what a trainer fills and what model files hold. Its methods walk the trees in the plainest
// way. [Compile] makes a [Scorer] of it, which computes the same scores faster, bit for bit.
package tree

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
)

// Tree is one regression tree, in the terms of LightGBM's model text.
//
// A tree with n leaves has n-1 internal nodes; node 0 is the root. A child c >= 0 is internal node
// c, and c < 0 is leaf ^c. Trainers number nodes in the order in which they were split: when leaf l
// is split, its left child keeps the number l and its right child gets the next unused leaf number.
// Nothing in this package depends on that order.
//
// A tree with one leaf has no internal nodes: its value is LeafValue[0] for all rows.
//
// Methods that walk a tree expect a valid one: see [Tree.Validate].
type Tree struct {
	// One entry for each internal node.
	Feature []int32 // feature that is compared
	// numeric split: left if value <= threshold; categorical split: index into CategoryStart
	Threshold      []float64
	Decision       []Decision // kind of comparison, default side, missing values
	Gain           []float64  // split gain
	Left, Right    []int32    // children
	InternalValue  []float64  // output if the node were a leaf, shrinkage included
	InternalWeight []float64  // sum of Hessians of the rows that reached the node
	InternalCount  []int64    // number of those rows

	// One entry for each leaf.
	LeafValue  []float64 // output, shrinkage included
	LeafWeight []float64 // sum of Hessians of the rows in the leaf
	LeafCount  []int64   // number of those rows

	// Categorical split k goes left for value v if bit v%32 of word v/32 of
	// Categories[CategoryStart[k]:CategoryStart[k+1]] is set. Both are nil in trees without
	// categorical splits.
	CategoryStart []int32
	Categories    []uint32

	// Linear is nil except in trees with linear leaves.
	Linear *LinearLeaves

	Shrinkage float64 // learning rate by which the leaf values have been multiplied
}

// LinearLeaves are the linear functions of a tree's leaves (LightGBM's is_linear). The value of a
// row in leaf l is Const[l] + Σ Coefficient[l][i]·x[Feature[l][i]]; if any of those
// x is NaN, it is LeafValue[l].
type LinearLeaves struct {
	Const       []float64
	Feature     [][]int32
	Coefficient [][]float64
}

// NumLeaves returns the number of leaves.
func (t *Tree) NumLeaves() int { return len(t.LeafValue) }

// NumNodes returns the number of internal nodes.
func (t *Tree) NumNodes() int { return len(t.Left) }

// Root returns the number of the root as that of a child: node 0, or leaf 0 in a tree with one leaf.
func (t *Tree) Root() int32 {
	if len(t.Left) == 0 {
		return ^0
	}
	return 0
}

// Decision is how an internal node compares values, in the bits of LightGBM's decision_type.
type Decision uint8

// The bits of a Decision.
const (
	Categorical Decision = 1 << 0 // set membership, not a threshold
	DefaultLeft Decision = 1 << 1 // missing values go left

	MissingNone Decision = 0 << 2 // NaN counts as 0
	MissingZero Decision = 1 << 2 // zero and NaN are missing
	MissingNaN  Decision = 2 << 2 // NaN is missing
	missingMask Decision = 3 << 2
)

// Missing returns the node's missing type: MissingNone, MissingZero or MissingNaN.
func (d Decision) Missing() Decision { return d & missingMask }

// valid reports whether d is a combination of bits that LightGBM uses.
func (d Decision) valid() bool {
	return d <= Categorical|DefaultLeft|missingMask && d.Missing() != missingMask
}

// Ensemble is a fitted model: the sum of its trees, in order.
type Ensemble struct {
	Trees     []Tree
	Features  []Feature // one for each column, used or not
	Objective string    // as in LightGBM's model text, such as "lambdarank"; may be empty
	Average   bool      // scores are divided by the number of trees (LightGBM's average_output)

	// Context lists the features that are query context, whose values depend on all documents of a
	// query; nil if there are none. Context.Len is the number of features. Methods of this
	// package score rows that have these values; package scoring computes them.
	Context *dataset.QueryContext

	// LabelIndex is the column of the label in the text files that the model was trained on, for
	// LightGBM's command line.
	LabelIndex int

	// Parameters is the text between "parameters:" and "end of parameters" of the model file,
	// unchanged; empty if there is none.
	Parameters string

	// PandasCategorical is the text that follows "pandas_categorical:" in the model file: a JSON list by
	// which LightGBM's Python package maps the categories of a data frame to numbers; empty if there is none.
	PandasCategorical string

	// Remark is for the user, about what the model was read or made from; it may be empty. It is not written.
	Remark string

	// UnknownCategories means that PandasCategorical does not say which features its lists belong to: only
	// rows of numbers can be scored, and Dictionaries is nil.
	UnknownCategories bool

	// Dictionaries are the texts of features, by feature: the value i of such a feature stands for
	// text i; all other texts are missing values. nil if there are none. Methods of this package score
	// rows of these numbers.
	Dictionaries map[int][]string

	// Calibration maps scores to probabilities; nil if there is none. Models of a part of the trees, or of other
	// values of leaves, do not keep it.
	Calibration *Calibration

	part   bool                      // of the trees of a model with a calibration, which is of all of them
	output func(sum float64) float64 // makes a score of the sum of the trees; nil: the sum is the score
}

// Feature is one column of the data that the model was trained on.
type Feature struct {
	Name string
	// Range is LightGBM's feature_infos entry: "[min:max]" of the training values, "none" for a
	// constant or unused feature, or "a:b:c" for categories.
	Range string
	// Monotone is the constraint under which the model was trained: 1 if scores never fall when the
	// feature grows, -1 if they never rise, 0 for none.
	Monotone int8
}

// NumFeatures returns the number of values in a row.
func (e *Ensemble) NumFeatures() int { return len(e.Features) }

// Compares reports whether a model only compares the values of features, so that infinite values have a score
// like others. Networks, linear leaves and query context compute with values.
func Compares(model any) bool {
	e, isTrees := model.(*Ensemble)
	return isTrees && e.Context == nil && !slices.ContainsFunc(e.Trees,
		func(t Tree) bool { return t.Linear != nil })
}

// FeatureNames returns the names of the features, one for each value of a row.
func (e *Ensemble) FeatureNames() []string {
	names := make([]string, len(e.Features))
	for i := range e.Features {
		names[i] = e.Features[i].Name
	}
	return names
}

// QueryContext returns which of the features are query context; nil if none are.
func (e *Ensemble) QueryContext() *dataset.QueryContext { return e.Context }

// Precomputed returns the model for rows that already contain the query context, in columns like any other.
// It shares the trees with e.
func (e *Ensemble) Precomputed() *Ensemble {
	plain := *e
	plain.Context = nil
	return &plain
}

// Part returns the model of n of e's trees, beginning with tree number from, counted from 0, or of all trees
// from there on if n < 1 or if there are fewer than n (LightGBM's start_iteration and num_iteration). from
// must not be negative; if e has no tree of that number, the model has no trees. It shares the trees with e.
func (e *Ensemble) Part(from, n int) *Ensemble {
	part := *e
	trees := e.Trees[min(from, len(e.Trees)):]
	if n >= 1 && n < len(trees) {
		trees = trees[:n:n]
	}
	part.Trees = trees
	if len(trees) != len(e.Trees) {
		part.Calibration, part.part = nil, e.part || e.Calibration != nil
	}
	return &part
}
