package booster

import (
	"fmt"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/byfeature"
)

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

// leastData returns the smallest number of rows of a leaf. As in LightGBM, it is at least two with smoothing,
// because the rows of a side are estimated, and a side without rows could seem to have one.
func (p *Params) leastData() int {
	if p.PathSmooth > 0 {
		return max(2, p.MinDataInLeaf)
	}
	return p.MinDataInLeaf
}
