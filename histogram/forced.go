package histogram

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/byfeature"
)

// Forced bounds are upper bounds of bins that are given in a file, in LightGBM's form:
//
//	[{"feature": 3, "bin_upper_bound": [0.5, 2]}, {"feature": "age", "bin_upper_bound": [18, 65]}]
//
// The other bins of max_bin are shared among the ranges between them, in proportion to their rows.

// forcedEntry is an element of the file.
type forcedEntry struct {
	Feature json.RawMessage `json:"feature"`
	Bounds  []float64       `json:"bin_upper_bound"`
}

// featureParams are the parameters of the bins of one feature.
type featureParams struct {
	BinParams
	forced []float64 // bounds, in the order of the file; nil for none
}

// featuresParams are the parameters of the bins of all features. Features without parameters of their own
// take no memory, because data with a high feature number may have millions of features.
type featuresParams struct {
	BinParams
	features int
	most     []float64         // MaxBin by feature; nil: MaxBin for all
	forced   map[int][]float64 // forced bounds by feature
}

// of returns the parameters of a feature.
func (p *featuresParams) of(feature int) featureParams {
	one := featureParams{p.BinParams, p.forced[feature]}
	if p.most != nil {
		one.MaxBin = int(p.most[feature])
	}
	return one
}

// byFeature returns the parameters of each feature. The error matches [ErrParams].
func (p BinParams) byFeature(names []string, categorical []int) (*featuresParams, error) {
	all := &featuresParams{BinParams: p, features: len(names), forced: map[int][]float64{}}
	var err error
	all.most, err = byfeature.Of("max_bin_by_feature", p.MaxBinByFeature, maxBinRange, float64(p.MaxBin), names)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	if p.ForcedBinsFilename == "" {
		return all, nil
	}
	text, err := byfeature.ReadFile(p.ForcedBinsFilename)
	if err == nil {
		err = all.force(text, names, categorical)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: forcedbins_filename=%s: %w", ErrParams, p.ForcedBinsFilename, err)
	}
	return all, nil
}

// force sets the forced bounds of features from the text of a file.
func (p *featuresParams) force(text []byte, names []string, categorical []int) error {
	var entries []forcedEntry
	if err := byfeature.DecodeJSON(text, &entries); err != nil {
		return fmt.Errorf("want a JSON array of objects with feature and bin_upper_bound: %w", err)
	}
	for _, e := range entries {
		f, err := byfeature.FindJSON(e.Feature, names)
		if err != nil {
			return err
		}
		_, is := slices.BinarySearch(categorical, f)
		switch {
		case is:
			return fmt.Errorf("feature %s is categorical; only bins of numbers can be forced", names[f])
		case p.forced[f] != nil:
			return fmt.Errorf("feature %s is there twice; give all of its bounds in one bin_upper_bound", names[f])
		case len(e.Bounds) == 0:
			return fmt.Errorf("feature %s: want one or more numbers in bin_upper_bound", names[f])
		}
		p.forced[f] = different(e.Bounds)
		one := p.of(f)
		if need := len(one.forced) + one.besides(); need > one.MaxBin {
			return fmt.Errorf("feature %s: %d bounds need %d bins beside those of zero and of missing values, and "+
				"max_bin is %d; give fewer bounds or raise max_bin", names[f], len(one.forced), need, one.MaxBin)
		}
	}
	return nil
}

// different returns the distinct bounds in their order, without 0, which is always a bound.
func different(bounds []float64) []float64 {
	kept := []float64{}
	for _, b := range bounds {
		if math.Abs(b) > zeroBound && !slices.Contains(kept, b) {
			kept = append(kept, b)
		}
	}
	return kept
}

// besides returns the largest number of bins of a feature other than those that end at its forced bounds: the
// bins of negative values, of zero, of values above all bounds, and of missing values.
func (p *featureParams) besides() int {
	if p.Missing == MissingNaN {
		return 4
	}
	return 3
}

// forcedBounds is like upperBounds, for a feature with forced bounds, whose number must leave room for the
// other bins (LightGBM's FindBinWithPredefinedBin).
func forcedBounds(all []distinct, p *featureParams) []float64 {
	negative, positive := signs(all)
	var fixed []float64
	if len(negative) > 0 {
		fixed = append(fixed, -zeroBound)
	}
	if len(positive) > 0 {
		fixed = append(fixed, zeroBound)
	}
	fixed = append(append(fixed, p.forced...), math.Inf(1))
	slices.Sort(fixed)
	free := p.MaxBin - len(fixed)
	rows, left := total(all), free
	bounds := slices.Clone(fixed)
	for i, end := range fixed {
		n := 0
		for n < len(all) && all[n].value < end {
			n++
		}
		inside := all[:n]
		all = all[n:]
		bins := left
		if i < len(fixed)-1 {
			bins = min(int(math.Round(float64(total(inside))*float64(free)/float64(rows))), left)
		}
		if len(inside) > 0 {
			more := greedyBounds(inside, bins+1, p.MinDataInBin)
			bounds = append(bounds, more[:len(more)-1]...)
			left -= len(more) - 1
		}
	}
	slices.Sort(bounds)
	return bounds
}
