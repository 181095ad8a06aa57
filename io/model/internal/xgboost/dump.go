package xgboost

import (
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// dumpReader reads the trees of a dump, and collects the features that they use.
type dumpReader struct {
	features      map[string]int32 // number of each name, in the order in which they occur
	names         []string
	missingAsZero bool // NaN goes to the same side as 0
}

// Keys that are accepted. They include gain and cover of with_stats, although search engines refuse these.
var (
	splitKeys = []string{"nodeid", "depth", "split", "split_condition", "yes", "no", "missing", "children",
		"gain", "cover"}
	leafKeys = []string{"nodeid", "depth", "leaf", "cover"}
	dumpKeys = []string{"objective", "splits", "missing_as_zero"}
)

// remark is about information that dumps lack.
const remark = "a dump of XGBoost does not tell whether it is of dart, and lacks the weights of dart's " +
	"trees: " +
	"if it is, its scores are wrong; save such a model by save_model"

func readDump(e *tree.Ensemble, root document.Cursor) {
	e.Remark = remark
	r := dumpReader{features: map[string]int32{}}
	trees := root
	if root.IsObject() {
		if !root.Has("splits") {
			root.Failf(ErrFormat, "neither \"learner\", as save_model writes it, nor \"splits\" is there")
			return
		}
		root.Known(dumpKeys)
		trees = root.Field("splits")
		if name := root.Optional("objective"); name.Sound() {
			o, known := objectives[name.Text()]
			if !known {
				name.Failf(document.ErrUnsupported, "objective %q", document.Clip(name.Text()))
			}
			e.Objective = o.lightgbm
		}
		r.missingAsZero = root.Optional("missing_as_zero").Bool()
	}
	trees.Elements(func(_ int, c document.Cursor) {
		var t engine.Builder
		r.node(&t, c)
		e.Trees = append(e.Trees, t.Finish())
	})
	if trees.Sound() && len(e.Trees) == 0 {
		trees.Failf(ErrFormat, "a dump has at least one tree")
	}
	r.nameFeatures(e, trees)
}

// node adds a node and everything below it.
func (r *dumpReader) node(t *engine.Builder, c document.Cursor) int32 {
	if c.Has("leaf") {
		c.Known(leafKeys)
		value, weight := c.Field("leaf").Float32(), c.Optional("cover").Float32()
		return t.AddLeaf(engine.Leaf{Value: float64(value), Weight: float64(weight)})
	}
	c.Known(splitKeys)
	condition := c.Field("split_condition")
	cut, err := fromCondition(condition.Float32())
	if err != nil {
		condition.Fail(err)
	}
	node := t.AddSplit(engine.Split{
		Feature: r.feature(c.Field("split").Text()), Threshold: cut, Decision: r.decision(c, cut),
		Gain: float64(c.Optional("gain").Float32()), Weight: float64(c.Optional("cover").Float32()),
	})
	children := c.Field("children")
	if children.Len() != 2 {
		children.Failf(document.ErrLength, "%d children, want 2", children.Len())
	}
	var child [2]int32
	children.Elements(func(i int, e document.Cursor) {
		e.Field("nodeid").Is(c.Field([]string{"yes", "no"}[i]).Int(0, math.MaxInt32))
		child[i] = r.node(t, e)
	})
	t.Join(node, child[0], child[1])
	return node
}

// feature returns the number of a feature name, which is new if the name has not occurred before.
func (r *dumpReader) feature(name string) int32 {
	number, known := r.features[name]
	if !known {
		number = int32(len(r.names))
		r.features[name] = number
		r.names = append(r.names, name)
	}
	return number
}

func (r *dumpReader) decision(c document.Cursor, cut float64) tree.Decision {
	missing := c.Optional("missing")
	switch {
	case r.missingAsZero:
		return decision(engine.NaNLeft(tree.MissingNone, cut))
	case !missing.Sound():
		return decision(false)
	}
	side, yes := missing.Int(0, math.MaxInt32), c.Field("yes").Int(0, math.MaxInt32)
	if side != yes {
		missing.Is(c.Field("no").Int(0, math.MaxInt32))
	}
	return decision(side == yes)
}

// nameFeatures sets the features of the model. If the names contain numbers, each feature is moved to the
// column of its number.
func (r *dumpReader) nameFeatures(e *tree.Ensemble, c document.Cursor) {
	prefix, numbers, most := r.numbers()
	if numbers == nil {
		for _, name := range r.names {
			e.Features = append(e.Features, tree.Feature{Name: name})
		}
		return
	}
	if most >= maxFeatures {
		c.Failf(document.ErrNumber, "feature %d; at most %d are read", most, maxFeatures)
		return
	}
	e.Features = make([]tree.Feature, most+1)
	for i := range e.Features {
		e.Features[i].Name = prefix + strconv.Itoa(i)
	}
	for i := range e.Trees {
		for node, f := range e.Trees[i].Feature {
			e.Trees[i].Feature[node] = numbers[f]
		}
	}
}

// numbers returns the number in each name and the largest of them, if all names are one prefix,
// f or Column_, followed by a number. Otherwise numbers is nil.
func (r *dumpReader) numbers() (prefix string, numbers []int32, most int32) {
	for _, prefix := range []string{"f", "Column_"} {
		numbers, most = nil, 0
		for _, name := range r.names {
			digits, ok := strings.CutPrefix(name, prefix)
			n, err := strconv.ParseInt(digits, 10, 32)
			if !ok || err != nil || strconv.FormatInt(n, 10) != digits || n < 0 {
				break
			}
			numbers = append(numbers, int32(n))
			most = max(most, int32(n))
		}
		if len(numbers) == len(r.names) && len(numbers) > 0 {
			return prefix, numbers, most
		}
	}
	return "", nil, 0
}
