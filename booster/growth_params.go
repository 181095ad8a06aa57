package booster

import (
	"fmt"

	"github.com/lambdamart/lambdamart/param"
)

// GrowthParams are further rules for splits and leaf values. Their defaults switch all of them off.
type GrowthParams struct {
	MaxDeltaStep          float64 // largest magnitude of a leaf value before shrinkage; 0: any
	PathSmooth            float64 // rows with which the value of a leaf is half its parent's; 0: its own
	ExtraTrees            bool    // one random threshold of each feature is tried for each leaf
	FeatureFractionByNode float64 // share of the tree's features that a leaf may be split on
	FeatureContri         string  // factors on the gains of features, as a list by feature
}

func defaultGrowth() GrowthParams { return GrowthParams{FeatureFractionByNode: 1} }

func (p *Params) growthTable() param.Table {
	return param.Table{
		{Name: "max_delta_step", Aliases: []string{"max_tree_output", "max_leaf_output"}, Group: groupTrees,
			Help:  "Largest magnitude of a leaf value before it is multiplied by learning_rate; no limit if it is 0.",
			Value: param.Float(&p.MaxDeltaStep, param.AtLeast(0))},
		{Name: "path_smooth", Group: groupTrees,
			Help:  "Pulls the values of leaves towards those of their parents: a leaf of n rows takes the weighted mean of its own value, with the weight n, and its parent's, with this weight.",
			Value: param.Float(&p.PathSmooth, param.AtLeast(0))},
		{Name: "extra_trees", Aliases: []string{"extra_tree"}, Group: groupTrees,
			Help:  "Extremely randomized trees: one random threshold of each feature is tried for each leaf, instead of all.",
			Value: param.Bool(&p.ExtraTrees)},
		{Name: "feature_contri", Aliases: []string{"feature_contrib", "fc", "fp", "feature_penalty"}, Group: groupTrees,
			Help:  "Factors on the gains of splits by feature: a number for each feature, with commas between, or NAME:NUMBER for some of them; 1 for the others. 0 never splits on the feature.",
			Value: byFeatureValue{param.Text(&p.FeatureContri), contriRange}},
	}
}

// contriRange are the factors that feature_contri takes. Products of them with gains remain finite.
var contriRange = numberRange{0, 1e6}

// leastData returns the least rows of a leaf. Smoothing needs two, as in LightGBM: the rows of a side
// are estimated, and a side that has none could seem to have one.
func (p *Params) leastData() int {
	if p.PathSmooth > 0 {
		return max(2, p.MinDataInLeaf)
	}
	return p.MinDataInLeaf
}

// growthCautions returns remarks on parameters of growth that have no effect.
func (p *Params) growthCautions(unused func(when string, names ...string)) (remarks []string) {
	if p.leastData() > p.MinDataInLeaf {
		remarks = append(remarks, fmt.Sprintf("min_data_in_leaf=%d counts as 2 with path_smooth=%v, as in LightGBM", p.MinDataInLeaf, p.PathSmooth))
	}
	if !p.ExtraTrees {
		unused("while extra_trees=false", "extra_seed")
	}
	if p.FeatureFraction >= 1 && p.FeatureFractionByNode >= 1 {
		unused("while feature_fraction=1", "feature_fraction_seed")
	}
	return remarks
}
