package booster

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// groupTrees is a heading of the documentation.
const groupTrees = "Trees"

func growthTable(p *Params) param.Table {
	return param.Table{
		{Name: "max_delta_step", Aliases: []string{"max_tree_output", "max_leaf_output"}, Group: groupTrees,
			Help:  "Largest magnitude of a leaf value before it is multiplied by learning_rate; no limit if it is 0.",
			Value: bind.Float(&p.MaxDeltaStep, bind.AtLeast(0))},
		{Name: "path_smooth", Group: groupTrees,
			Help: "Pulls the values of leaves toward their parents' values: a leaf of n rows takes the " +
				"weighted mean of its own value, with the weight n, and its parent's, with this weight.",
			Value: bind.Float(&p.PathSmooth, bind.AtLeast(0))},
		{Name: "extra_trees", Aliases: []string{"extra_tree"}, Group: groupTrees,
			Help: "Extremely randomized trees: one random threshold of each feature is tried for each leaf, " +
				"instead of all.",
			Value: bind.Bool(&p.ExtraTrees)},
		{Name: "feature_contri", Aliases: []string{"feature_contrib", "fc", "fp", "feature_penalty"},
			Group: groupTrees,
			Help: "Factors on the gains of splits by feature: a number for each feature, with commas between, or " +
				"NAME:NUMBER for some of them; 1 for the others. 0 never splits on the feature.",
			Value: byFeatureValue{bind.Text(&p.FeatureContri), contriRange}},
		{Name: "monotone_constraints", Aliases: []string{"mc", "monotone_constraint", "monotonic_cst"},
			Group: groupTrees,
			Help: "Features with which scores rise (1) or fall (-1), all else being equal; 0 for the others: a " +
				"number for each feature, with commas between, or NAME:NUMBER for some.",
			Value: byFeatureValue{bind.Text(&p.MonotoneConstraints), monotoneRange}},
		{Name: "monotone_constraints_method", Aliases: []string{"monotone_constraining_method", "mc_method"},
			Group: groupTrees,
			Help: "How monotone_constraints bound the values of leaves: basic bounds everything below a split by " +
				"a mean; intermediate bounds a leaf by the leaves that it can be compared with, which is slower and " +
				"fits better.",
			Value: bind.Choice(&p.MonotoneConstraintsMethod, MonotoneBasic, MonotoneIntermediate)},
		{Name: "monotone_penalty", Aliases: []string{"monotone_splits_penalty", "ms_penalty", "mc_penalty"},
			Group: groupTrees,
			Help: "Forbids splits by monotone features on the first levels, as many as its integer part, and " +
				"makes them less likely on the next ones.",
			Value: bind.Float(&p.MonotonePenalty, bind.AtLeast(0))},
		{Name: "interaction_constraints", Group: groupTrees,
			Help: "Sets of features, by name or number, that may meet on a path from the root to a leaf: " +
				"[0,1],[1,2]. Features in no set are not used.",
			Value: bind.Checked(bind.Text(&p.InteractionConstraints), "", func() error {
				_, err := parseInteractions(p.InteractionConstraints)
				return err
			})},
		{Name: "grow_policy", Group: groupTrees,
			Help: "Which leaf is split next: leafwise the one that gains most; depthwise the one that gains most " +
				"among those of least depth, so that trees grow level by level; symmetric all leaves of a level by " +
				"the same feature and threshold, or set of categories.",
			Value: bind.Checked(bind.Named(&p.GrowPolicy, policies...), Leafwise+", "+Depthwise+", "+Symmetric,
				func() error { return checkPolicy(p.GrowPolicy) })},
	}
}

// policies are these orders, with their names in XGBoost and CatBoost.
var policies = []wording.Term{{Name: Leafwise, Aliases: []string{"lossguide", "Lossguide"}},
	{Name: Depthwise, Aliases: []string{"Depthwise"}},
	{Name: Symmetric, Aliases: []string{"SymmetricTree", "oblivious"}}}

// checkPolicy returns an error for a text that is not one of the orders, as Go code may set it.
func checkPolicy(policy string) error {
	switch policy {
	case Leafwise, Depthwise, Symmetric:
		return nil
	}
	return fmt.Errorf("want %s, %s or %s", Leafwise, Depthwise, Symmetric)
}

// contriRange is the range of the factors of feature_contri. Their products with gains remain finite.
var contriRange = byfeature.Range{Least: 0, Most: 1e6, Whole: false}

// monotoneRange is the range of the directions of monotone_constraints.
var monotoneRange = byfeature.Range{Least: -1, Most: 1, Whole: true}

// groupCategories is the heading of the documentation for parameters of categorical features.
const groupCategories = "Categorical features"

func categoriesTable(p *Params) param.Table {
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

// byFeatureValue is the [param.Value] of a list by feature.
type byFeatureValue struct {
	param.Value
	numbers byfeature.Range
}

func (v byFeatureValue) Check() error {
	_, err := byfeature.Parse(v.String(), v.numbers)
	return err
}

func (v byFeatureValue) Range() string { return v.numbers.String() + " each" }
func (v byFeatureValue) Type() string  { return "list by feature" }
