package booster

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/param"
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
