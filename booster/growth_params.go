package booster

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// GrowthParams are further rules for splits and leaf values. The defaults turn all of them off.
type GrowthParams struct {
	MaxDeltaStep          float64 // largest magnitude of a leaf value before shrinkage; 0: any
	PathSmooth            float64 // number of rows at which half of a leaf's value is its parent's; 0: none
	ExtraTrees            bool    // one random threshold of each feature is tried for each leaf
	FeatureFractionByNode float64 // share of the tree's features that a leaf may be split on
	FeatureContri         string  // factors on the gains of features, as a list by feature

	MonotoneConstraints       string  // 1 rising, -1 falling, 0 any, as a list by feature
	MonotoneConstraintsMethod string  // MonotoneBasic or MonotoneIntermediate
	MonotonePenalty           float64 // on splits by monotone features near the root; 0: none
	InteractionConstraints    string  // sets of features that may meet on a path: [0,1],[1,2]

	GrowPolicy string // Leafwise, Depthwise or Symmetric
}

func defaultGrowth() GrowthParams {
	return GrowthParams{FeatureFractionByNode: 1, MonotoneConstraintsMethod: MonotoneBasic, GrowPolicy: Leafwise}
}

func (p *GrowthParams) table() param.Table {
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
			Value: bind.Checked(bind.Text(&p.InteractionConstraints), "", p.checkInteractions)},
		{Name: "grow_policy", Group: groupTrees,
			Help: "Which leaf is split next: leafwise the one that gains most; depthwise the one that gains most " +
				"among those of least depth, so that trees grow level by level; symmetric all leaves of a level by " +
				"the same feature and threshold, or set of categories.",
			Value: bind.Checked(policyValue{bind.Text(&p.GrowPolicy)}, Leafwise+", "+Depthwise+", "+Symmetric,
				p.checkPolicy)},
	}
}

// Ways of bounding the values of leaves, the values of Params.MonotoneConstraintsMethod.
const (
	MonotoneBasic        = "basic"
	MonotoneIntermediate = "intermediate"
)

// Orders in which leaves are split, the values of Params.GrowPolicy.
const (
	Leafwise  = "leafwise"
	Depthwise = "depthwise"
	Symmetric = "symmetric"
)

// policyWords are the names of these orders in XGBoost and CatBoost.
var policyWords = map[string]string{"lossguide": Leafwise, "Lossguide": Leafwise, "Depthwise": Depthwise,
	"SymmetricTree": Symmetric, "oblivious": Symmetric}

type policyValue struct{ param.Value }

func (v policyValue) Set(text string) error {
	if policy, ok := policyWords[text]; ok {
		text = policy
	}
	return v.Value.Set(text)
}

func (p *GrowthParams) checkPolicy() error {
	switch p.GrowPolicy {
	case Leafwise, Depthwise, Symmetric:
		return nil
	}
	return fmt.Errorf("want %s, %s or %s", Leafwise, Depthwise, Symmetric)
}

// contriRange is the range of the factors of feature_contri. Their products with gains remain finite.
var contriRange = byfeature.Range{Least: 0, Most: 1e6, Whole: false}

// monotoneRange is the range of the directions of monotone_constraints.
var monotoneRange = byfeature.Range{Least: -1, Most: 1, Whole: true}

// growth returns the part of p that grows trees, without what depends on the training data.
func (p *Params) growth() grow.Settings {
	s := grow.Settings{
		Rules: grow.Rules{
			LambdaL1: p.LambdaL1, LambdaL2: p.LambdaL2,
			MinSumHessian: p.MinSumHessianInLeaf, MinGain: p.MinGainToSplit, MinData: p.leastData(),
			MaxStep: p.MaxDeltaStep,
			Categories: bincut.Categories{Smooth: p.CatSmooth, SmoothRows: p.CatSmooth, L2: p.CatL2,
				Most: p.MaxCatThreshold, MostOneHot: p.MaxCatToOnehot, Group: p.MinDataPerGroup},
		},
		NumLeaves: p.NumLeaves, MaxDepth: p.MaxDepth,
		Smooth: p.PathSmooth,
		ByNode: p.FeatureFractionByNode, Random: p.ExtraTrees,
		NodeSeed: seedOr(p.FeatureFractionSeed, p.Seed), ThresholdSeed: seedOr(p.ExtraSeed, p.Seed),
		LeastIdle: leastIdle,
	}
	if p.MonotoneConstraints != "" {
		s.Monotone = grow.Monotone{Intermediate: p.MonotoneConstraintsMethod == MonotoneIntermediate,
			Penalty: p.MonotonePenalty}
	}
	switch p.GrowPolicy {
	case Depthwise:
		s.Policy = grow.ByDepth
	case Symmetric:
		s.Policy = grow.ByLevel
	}
	return s
}

// leastIdle is the share of rows without a gradient from which they are set apart. Only speed depends on it.
var leastIdle = 1.0 / 8

// growthOn returns the settings of growth on some training data.
func (p *Params) growthOn(train Data) (s grow.Settings, err error) {
	s = p.growth()
	data, columns := train.Meta, train.Values.Columns
	contri, err := byfeature.Of("feature_contri", p.FeatureContri, contriRange, 1, data.Features)
	if err != nil {
		return s, err
	}
	s.Factors = byColumn(contri, columns)
	if s.Monotone.Directions, err = p.directions(train); err != nil {
		return s, err
	}
	s.Interactions, err = newInteractions(p.InteractionConstraints, data, train.Values)
	return s, err
}

// byColumn returns the numbers by column, given those by feature; nil for nil.
func byColumn(byFeature []float64, columns []int32) []float64 {
	if byFeature == nil {
		return nil
	}
	numbers := make([]float64, len(columns))
	for c, f := range columns {
		numbers[c] = byFeature[f]
	}
	return numbers
}

// directions returns the directions of monotone_constraints by column, nil if there are none.
func (p *Params) directions(train Data) (directions []int8, err error) {
	given, err := byfeature.Of("monotone_constraints", p.MonotoneConstraints, monotoneRange, 0,
		train.Meta.Features)
	if err != nil {
		return nil, err
	}
	some := false
	for c, d := range byColumn(given, train.Values.Columns) {
		if f := train.Values.Columns[c]; d != 0 && train.Values.Bins(int32(c)).IsCategorical() {
			return nil, fmt.Errorf("monotone_constraints and categorical_feature: feature %s is categorical, and "+
				"categories have no order; leave it out of one of them", train.Meta.Features[f])
		}
		directions = append(directions, int8(d))
		some = some || d != 0
	}
	if !some {
		return nil, nil
	}
	return directions, nil
}

func (p *GrowthParams) checkInteractions() error {
	_, err := parseInteractions(p.InteractionConstraints)
	return err
}

// leastData returns the smallest number of rows of a leaf. As in LightGBM, it is at least two with smoothing,
// because the rows of a side are estimated, and a side without rows could seem to have one.
func (p *Params) leastData() int {
	if p.PathSmooth > 0 {
		return max(2, p.MinDataInLeaf)
	}
	return p.MinDataInLeaf
}

// growthCautions returns remarks on parameters of growth that have no effect.
func growthCautions(p *Params, unused func(when string, names ...string)) (remarks []string) {
	if p.leastData() > p.MinDataInLeaf {
		remarks = append(remarks, fmt.Sprintf("min_data_in_leaf=%d counts as 2 with path_smooth=%v, as in LightGBM",
			p.MinDataInLeaf, p.PathSmooth))
	}
	if p.MonotoneConstraints == "" {
		unused("without monotone_constraints", "monotone_constraints_method", "monotone_penalty")
	}
	if p.MonotoneConstraints != "" && p.MaxDepth > 0 && p.MonotonePenalty >= float64(p.MaxDepth) {
		remarks = append(remarks, fmt.Sprintf("monotone_penalty=%v with max_depth=%d: monotone features are "+
			"hardly used", p.MonotonePenalty, p.MaxDepth))
	}
	if !p.ExtraTrees {
		unused("while extra_trees=false", "extra_seed")
	}
	if p.FeatureFraction >= 1 && p.FeatureFractionByNode >= 1 {
		unused("while feature_fraction=1", "feature_fraction_seed")
	}
	isRandom := func(name string) bool { return objective.IsRandom(name, &p.AllParams) }
	if !slices.ContainsFunc(p.objectives(), isRandom) {
		unused("with an objective that draws nothing", "objective_seed")
	}
	return append(remarks, symmetricCautions(p)...)
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

// symmetricCautions returns remarks on the size of symmetric trees.
func symmetricCautions(p *Params) (remarks []string) {
	if p.GrowPolicy != Symmetric {
		return nil
	}
	growth := p.growth()
	levels := growth.Levels()
	switch {
	case p.MaxDepth > levels:
		remarks = append(remarks, fmt.Sprintf("num_leaves=%d with grow_policy=%s and max_depth=%d: trees have "+
			"%d levels and %d leaves at most; set num_leaves=%d for %d levels",
			p.NumLeaves, Symmetric, p.MaxDepth, levels, 1<<levels, min(1<<min(p.MaxDepth, 62), mostLeaves),
			min(p.MaxDepth, bits.Len(mostLeaves)-1)))
	case p.MaxDepth <= 0 && p.NumLeaves != 1<<levels:
		remarks = append(remarks, fmt.Sprintf("num_leaves=%d with grow_policy=%s: trees have %d levels and %d "+
			"leaves at most; set num_leaves=%d or %d",
			p.NumLeaves, Symmetric, levels, 1<<levels, 1<<levels, min(2<<levels, mostLeaves)))
	}
	return remarks
}
