package booster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrNoSplit is wrapped by errors for training data from which no tree can be grown.
var ErrNoSplit = errors.New("no tree can be grown")

type noSplitError struct {
	parameter string // the parameter that forbids every split; empty if the reason is in the data
	reason    string // why there is no split, and what to do
}

func (e *noSplitError) Unwrap() error { return ErrNoSplit }

func (e *noSplitError) Error() string {
	if e.parameter == "" {
		return fmt.Sprintf("%v: %s", ErrNoSplit, e.reason)
	}
	return fmt.Sprintf("%v: %s forbids every split: %s", ErrNoSplit, e.parameter, e.reason)
}

// whyNoSplit finds what prevents the root of the first tree from being split.
func (t *trainer) whyNoSplit() error {
	if why := t.noLabels(); why != "" {
		return &noSplitError{"", why}
	}
	if why := t.nothingToSplit(); why != nil {
		return why
	}
	if why := t.forbiddingRule(); why != nil {
		return why
	}
	some := slices.ContainsFunc(t.gradients.Lambda, func(l float64) bool { return l != 0 })
	if !t.train.Meta.Part.Group().Any(some) {
		return &noSplitError{"", cmp.Or(t.nothingToLearn(),
			"all gradients of the objective are 0: at its first scores, nothing can be better")}
	}
	return &noSplitError{"", cmp.Or(t.tooSmall(), "no feature tells documents of different grades apart")}
}

// tooSmall returns what to do if some gradients are not 0, but their squares are; otherwise it is empty.
func (t *trainer) tooSmall() string {
	group, some, squares := t.train.Meta.Part.Group(), false, false
	for _, l := range t.gradients.Lambda {
		some, squares = some || l != 0, squares || float64(l*l) != 0
	}
	if some, squares = group.Any(some), group.Any(squares); !some || squares {
		return ""
	}
	return "all lambdas of the objective are so small that gains of splits, which are squares of their sums, " +
		"are 0: multiply all weights by a common factor"
}

// nothingToSplit returns why there are no rows, bins or Hessians to split, or no split that leaves enough
// rows; nil if there are.
func (t *trainer) nothingToSplit() *noSplitError {
	s := t.grower.Settings
	rows := t.train.Meta.Part.Group().SumOf(t.rows.size)
	switch {
	case rows == 0:
		return &noSplitError{"bagging_fraction", "the bag holds no query; make it larger"}
	case len(t.train.Values.Columns) == 0 && varies(t.train.Values.Mapper):
		return &noSplitError{"min_data_in_bin",
			"features vary, but all values of each share a bin; make it smaller"}
	case len(t.train.Values.Columns) == 0:
		return &noSplitError{"", "every feature is constant"}
	case t.active.Hessian.Unit() == 0:
		return &noSplitError{"", cmp.Or(t.nothingToLearn(), t.tooSmall(),
			"all Hessians of the objective are 0, and leaf values are sums of gradients "+
				"divided by sums of Hessians; give positive ones, such as 1")}
	case t.contracted:
		return &noSplitError{"min_data_in_leaf",
			"one side of each has fewer rows, or less than min_sum_hessian_in_leaf; make them smaller"}
	case s.MinData > rows/2:
		return &noSplitError{"min_data_in_leaf", fmt.Sprintf("two leaves of %s need more than the %s "+
			"there are", wording.Count(s.MinData, "row"), wording.Count(rows, "row"))}
	}
	return nil
}

// forbiddingRule drops one rule after the other until some split of the root gains. It returns the last one
// that it has dropped, or nil if no split gains without all of them.
func (t *trainer) forbiddingRule() *noSplitError {
	s, rows := t.grower.Settings, "rows"
	if t.active.Sparse {
		rows = "rows with a gradient, which alone count below active_fraction=1,"
	}
	sum, _ := t.active.Total(t.train.Meta.Part, t.pool)
	loosen := []struct {
		parameter, reason string
		apply             func()
	}{
		{"min_gain_to_split", "no split gains that much; make it smaller", func() { s.MinGain = 0 }},
		{"min_sum_hessian_in_leaf", fmt.Sprintf("the Hessians of all rows sum to %.4g; make it smaller",
			t.active.Hessian.Float(sum.Hessian)), func() { s.MinSumHessian = 0 }},
		{"min_data_per_group", "no set of categories has so many rows; make it smaller",
			func() { s.Categories.Group = 1 }},
		{"cat_smooth", "no category has so many rows; make it smaller",
			func() { s.Categories.Smooth, s.Categories.SmoothRows = 0, 0 }},
		{"min_data_in_leaf", "no bin boundary leaves so many " + rows + " on both sides; make it smaller",
			func() { s.MinData = 0 }},
		{"lambda_l1", "it outweighs every gradient; make it smaller", func() { s.LambdaL1 = 0 }},
		{"lambda_l2", "it outweighs every Hessian; make it smaller", func() { s.LambdaL2 = 0 }},
		{t.params.narrowing(), "no feature that may be split on tells documents of different grades apart; " +
			"allow more", func() { s = s.Unconstrained() }},
	}
	for _, rule := range loosen {
		rule.apply()
		if t.grower.RootSplits(s) {
			return &noSplitError{rule.parameter, rule.reason}
		}
	}
	return nil
}

// nothingToLearn returns why the labels and weights leave no gradients and Hessians but 0; it is empty if
// they are not the reason.
func (t *trainer) nothingToLearn() string {
	p, meta := t.params, t.train.Meta
	if !t.own && meta.Pairs != nil &&
		!slices.ContainsFunc(meta.Pairs, func(p dataset.Pair) bool { return p.Weight > 0 }) {
		return "every pair has weight 0; check the weights of the pairs"
	}
	if _, ok := t.objective.(objective.Initial); ok || t.own || meta.Pairs != nil || meta.More != nil {
		return "" // it learns from single documents, from these, or from what the caller knows
	}
	pairs, weighted, worth := 0, 0, 0 // queries with pairs; of these, with weight; of these, of different gains
	for i, q := range meta.Queries {
		if !meta.HasPairs(i) {
			continue
		}
		pairs++
		if meta.Weights != nil && slices.Max(meta.Weights[q.First:q.First+q.Len]) == 0 {
			continue
		}
		weighted++
		if differInGain(p.LabelGain, meta.Labels[q.First:q.First+q.Len]) {
			worth++
		}
	}
	group := meta.Part.Group()
	pairs, weighted, worth = group.SumOf(pairs), group.SumOf(weighted), group.SumOf(worth)
	switch {
	case pairs == 0:
		return "no query has documents of two different grades, so that there are no pairs to " +
			"learn from; check the labels and the query ids"
	case weighted == 0:
		return "every query with documents of two different grades has weight 0; check the weights"
	case worth == 0:
		return fmt.Sprintf("label_gain=%s gives the different grades of each query the same gain; check label_gain",
			p.LabelGain)
	case p.hasBags():
		return "the bag of the first iteration teaches nothing: probably, it has no query with documents of two " +
			"different grades; make bagging_fraction larger"
	}
	return ""
}

// noLabels returns why the labels of documents that have weight show no difference; it is empty if they do,
// or if the objective may learn from something else.
func (t *trainer) noLabels() string {
	meta := t.train.Meta
	if t.own || meta.Pairs != nil || meta.More != nil {
		return ""
	}
	weighted, differ, first := 0, false, 0.0
	for row, label := range meta.Labels {
		if meta.Weights != nil && meta.Weights[row] == 0 {
			continue
		}
		if weighted == 0 {
			first = label
		}
		weighted++
		differ = differ || label != first
	}
	group := meta.Part.Group()
	weighted, differ = group.SumOf(weighted), group.Any(differ)
	switch {
	case weighted == 0:
		return "every document has weight 0; check the weights"
	case differ || group.Size() > 1: // peers do not compare theirs
		return ""
	case slices.ContainsFunc(meta.Labels, func(label float64) bool { return label != first }):
		return fmt.Sprintf("all documents with a weight have the label %g, and those of other labels have "+
			"weight 0; check the weights", first)
	}
	return fmt.Sprintf("all documents have the label %g; check the labels", first)
}

// differInGain reports whether some labels have different gains, or one has no gain and is not used by it.
func differInGain(gain metric.Gain, labels []float64) bool {
	for _, label := range labels {
		if gain.Check(label) != nil || gain.Of(label) != gain.Of(labels[0]) {
			return true
		}
	}
	return false
}

// narrowing are the parameters that may prevent splits on features.
var narrowing = []string{"interaction_constraints", "monotone_constraints", "feature_contri",
	"extra_trees", "feature_fraction_bynode"}

// narrowing returns those parameters of the list that are not at their defaults, for a message.
func (p *Params) narrowing() string {
	var names []string
	usual := DefaultParams()
	for _, name := range narrowing {
		if p.Table().Find(name).Value.String() != usual.Table().Find(name).Value.String() {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// allowConstant makes a model of the initial score alone, as LightGBM does, if that is allowed. Otherwise it
// returns the error why.
func (t *trainer) allowConstant(why error, r *training.Round) error {
	if !t.params.AllowConstant {
		return why
	}
	constant := tree.Tree{Shrinkage: 1, LeafValue: []float64{t.initial}, LeafWeight: []float64{0},
		LeafCount: []int64{int64(t.train.Meta.AllRows())}}
	r.Leaves = 1
	t.addConstant(constant, why)
	if t.draw++; t.initial != 0 {
		t.lowered = []float64{0}
	}
	return nil
}

// addConstant adds the tree of a constant model. Scores do not change, because they begin at the
// initial score.
func (t *trainer) addConstant(constant tree.Tree, why error) {
	t.trees, t.constant = append(t.trees, constant), why
	if t.dart != nil {
		t.dart.weights = append(t.dart.weights, 1)
	}
}

// varies reports whether some feature had different values when bins were found.
func varies(m *histogram.Mapper) bool {
	for f := range m.Features {
		if m.Features[f].Min != m.Features[f].Max || m.Features[f].Missing == histogram.MissingNaN {
			return true
		}
	}
	return false
}
