package booster

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// CategoryParams select the categorical features, and how sets of categories are found. Names and meanings
// are those of LightGBM.
type CategoryParams struct {
	CategoricalFeature string // numbers of features, "0,3", or names, "name:brand,color"; empty: none
	// added to the Hessian of a category to sort categories, and smallest number of rows of a sorted category
	CatSmooth       float64
	CatL2           float64 // L2 penalty on leaf values below sets of sorted categories, in addition to LambdaL2
	MaxCatThreshold int     // largest number of categories on the left
	MaxCatToOnehot  int     // features with at most this many bins try each category alone on one side
	MinDataPerGroup int     // smallest number of rows by which two sets that are tried differ
}

func defaultCategories() CategoryParams {
	return CategoryParams{CatSmooth: 10, CatL2: 10, MaxCatThreshold: 32, MaxCatToOnehot: 4, MinDataPerGroup: 100}
}

// groupCategories is the heading of the documentation for parameters of categorical features.
const groupCategories = "Categorical features"

func (p *CategoryParams) table() param.Table {
	return param.Table{
		{Name: "categorical_feature", Aliases: []string{"cat_feature", "categorical_column", "cat_column",
			"categorical_features", "cat_features"}, Group: groupCategories,
			Help: "Features whose values are categories, whole numbers from 0: their numbers, 0,3,17, or their " +
				"names, name:brand,color.",
			Value: bind.Text(&p.CategoricalFeature)},
		{Name: "cat_smooth", Group: groupCategories,
			Help: "Categories are sorted by the sum of their gradients, divided by the sum of their " +
				"Hessians plus this; categories with fewer rows than this go right.",
			Value: bind.Float(&p.CatSmooth, bind.AtLeast(0))},
		{Name: "cat_l2", Group: groupCategories,
			Help:  "L2 penalty on the leaf values below sets of sorted categories, beside lambda_l2.",
			Value: bind.Float(&p.CatL2, bind.AtLeast(0))},
		{Name: "max_cat_threshold", Group: groupCategories,
			Help:  "Largest number of categories that a split sends left.",
			Value: bind.Int(&p.MaxCatThreshold, bind.AtLeast(1))},
		{Name: "max_cat_to_onehot", Aliases: []string{"one_hot_max_size"}, Group: groupCategories,
			Help: "Features with at most this many bins (one for each category, and one for the others) try each " +
				"category alone against all others.",
			Value: bind.Int(&p.MaxCatToOnehot, bind.AtLeast(1))},
		{Name: "min_data_per_group", Group: groupCategories,
			Help: "Sets of sorted categories are tried each time they grow by this many rows, as long as " +
				"this many remain on the right.",
			Value: bind.Int(&p.MinDataPerGroup, bind.AtLeast(1))},
	}
}

// in returns the rules in Hessian units v.
func (p *CategoryParams) in(v float64) bincut.Categories {
	return bincut.Categories{
		Smooth: p.CatSmooth / v, SmoothRows: p.CatSmooth, L2: p.CatL2 / v,
		Most: p.MaxCatThreshold, MostOneHot: p.MaxCatToOnehot, Group: p.MinDataPerGroup,
	}
}

// sides maps each bin of a categorical feature to the side to which a split sends its rows.
type sides struct {
	right  []uint8 // by bin: 1 if its rows go right
	sorted bool    // the bins on the left were found by sorting; cat_l2 applies to the children
}

// allRight returns sides that send all of this many bins right.
func allRight(bins int) *sides { return &sides{right: bytes.Repeat([]uint8{1}, bins)} }

// categoricalColumns returns, by column, whether it is categorical; nil if no column is.
func categoricalColumns(m *histogram.Matrix) []bool {
	var all []bool
	for c := range m.Columns {
		if m.Bins(int32(c)).IsCategorical() {
			if all == nil {
				all = make([]bool, len(m.Columns))
			}
			all[c] = true
		}
	}
	return all
}

// isCategorical reports whether a column is categorical.
func (t *binTree) isCategorical(column int32) bool {
	return t.categorical != nil && t.categorical[column]
}

// categoryLeaf returns a leaf that is being searched for cuts of a categorical column.
func (g *grower) categoryLeaf(worker int, s *search, column int32) *bincut.CategoryLeaf {
	return &bincut.CategoryLeaf{Valued: &s.leaf, Rules: &g.limits.categories, Memory: &g.orders[worker],
		Ends: &s.ends[column]}
}

// forgetEnds prepares the search of another leaf.
func (g *grower) forgetEnds(s *search) {
	if g.categorical == nil {
		return
	}
	if s.ends == nil {
		s.ends = make([]bincut.Ends, len(g.categorical))
	}
	for i := range s.ends {
		s.ends[i].Forget()
	}
}

// sidesOf returns the sides of a cut of a categorical column.
func (g *grower) sidesOf(s *search, column int32, cut *bincut.Cut, c *bincut.Column) *sides {
	return g.sidesWith(len(c.Sums), g.categoryLeaf(0, s, column).LeftBins(c, cut))
}

// sidesWith returns sides that send the bins in left to the left, and all others to the right.
func (g *grower) sidesWith(bins int, left []int32) *sides {
	found := allRight(bins)
	found.sorted = !g.limits.categories.OneHot(bins)
	for _, bin := range left {
		found.right[bin] = 0
	}
	return found
}

// setDraw returns the random number that selects the only set of a column to try (extra_trees), or AnySet.
func (g *grower) setDraw(s *search, column int32) float64 {
	if !g.constraints.random {
		return bincut.AnySet
	}
	return s.threshold.Float64(int(g.matrix.Columns[column]))
}

// appendSet appends the categories that a node sends left to the tree, and returns the number of the set.
func appendSet(t *tree.Tree, bins *histogram.FeatureBins, s *sides) int {
	if t.CategoryStart == nil {
		t.CategoryStart = []int32{0}
	}
	first := len(t.Categories)
	for b, category := range bins.Categories {
		if s.right[b+1] != 0 {
			continue
		}
		word := first + int(category/32)
		for len(t.Categories) <= word {
			t.Categories = append(t.Categories, 0)
		}
		t.Categories[word] |= 1 << (category % 32)
	}
	t.CategoryStart = append(t.CategoryStart, int32(len(t.Categories)))
	return len(t.CategoryStart) - 2
}

// sidesOfSet is the inverse of appendSet: it returns the sides of a node of t. It is an error if a category
// of the set has no bin.
func sidesOfSet(t *tree.Tree, node int, bins *histogram.FeatureBins) (*sides, error) {
	s := allRight(bins.NumBins())
	for _, category := range t.CategoriesLeft(node) {
		bin := bins.Bin(float64(category))
		if bin == 0 {
			return nil, fmt.Errorf("stands for category %d", category)
		}
		s.right[bin] = 0
	}
	return s, nil
}

// l2Below returns λ2 for the children of an internal node, or for the root if node is -1. As in LightGBM, it
// is larger below sets of sorted categories.
func (g *grower) l2Below(node int32) float64 {
	if node >= 0 && g.nodes[node].sides != nil && g.nodes[node].sides.sorted {
		return g.rules.lambdaL2 + g.rules.categories.CatL2
	}
	return g.rules.lambdaL2
}

// dictionaries returns the texts of the categories that have a bin. The model treats all others as unseen.
func dictionaries(train Data) map[int][]string {
	var all map[int][]string
	for f, words := range train.Meta.Dictionaries {
		bins := train.Values.Mapper.Features[f].Categories
		if len(bins) == 0 {
			continue
		}
		if all == nil {
			all = map[int][]string{}
		}
		all[f] = words[:min(len(words), int(slices.Max(bins))+1)]
	}
	return all
}

// checkCategories returns an error for bins that lack the categorical features that p asks for.
func (p *Params) checkCategories(train Data) error {
	asked, err := histogram.CategoricalFeatures(p.CategoricalFeature, train.Meta.Features)
	if err != nil {
		return err
	}
	for _, f := range asked {
		if bins := &train.Values.Mapper.Features[f]; !bins.IsCategorical() {
			return fmt.Errorf("categorical_feature=%s: the bins of feature %s are those of numbers; bin the data "+
				"with the same categorical_feature", p.CategoricalFeature, train.Meta.Features[f])
		}
	}
	return nil
}
