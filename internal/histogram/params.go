package histogram

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/byfeature"
)

// MostBins is the largest number of bins of a feature.
const MostBins = 1<<16 - 1

// BinParams control how values are divided into bins. They have LightGBM's meanings. The zero
// value is not valid; booster.Params.BinParams returns LightGBM's defaults: at most 255 bins, of 3 sampled
// rows or more, found from 200,000 rows.
type BinParams struct {
	MaxBin       int     // largest number of bins of a feature, with the bin of missing values; 2 to [MostBins]
	MinDataInBin int     // number of sampled rows that a bin should hold; at least 1
	SampleCount  int     // number of rows from which bins are found (bin_construct_sample_cnt); at least 1
	Seed         uint64  // chooses the sampled rows
	Missing      Missing // which values may be missing
	Sparse       bool    // columns in which nearly all rows have the bin of 0 may be sparse; see [SparseRows]

	// MaxBinByFeature is a list of a MaxBin for each feature, "255,15,2", or for some of them, "bm25:63,age:15".
	// If it is empty, MaxBin applies to all.
	MaxBinByFeature string

	// Categorical names the features that are categorical: their numbers, "0,3,17", or their names,
	// "name:brand,color". Empty if none are.
	Categorical string
}

// ErrParams means that bin parameters are out of range.
var ErrParams = errors.New("invalid bin parameters")

// validate returns an error for each parameter that is out of range, joined, or nil. They match [ErrParams].
func (p BinParams) validate() error {
	var errs []error
	check := func(valid bool, name string, value int, want string) {
		if !valid {
			errs = append(errs, fmt.Errorf("%w: %s is %d; want %s", ErrParams, name, value, want))
		}
	}
	check(p.MaxBin >= 2 && p.MaxBin <= MostBins, "MaxBin", p.MaxBin, fmt.Sprintf("2 to %d", MostBins))
	check(p.MinDataInBin >= 1, "MinDataInBin", p.MinDataInBin, "at least 1")
	check(p.SampleCount >= 1, "SampleCount", p.SampleCount, "at least 1")
	check(p.Missing <= MissingNaN, "Missing", int(p.Missing), "MissingNone, MissingZero or MissingNaN")
	if _, err := byfeature.Parse(p.MaxBinByFeature, maxBinRange); err != nil {
		errs = append(errs, fmt.Errorf("%w: MaxBinByFeature: %w", ErrParams, err))
	}
	return errors.Join(errs...)
}

// maxBinRange is the range of the numbers in MaxBinByFeature.
var maxBinRange = byfeature.Range{Least: 2, Most: MostBins, Whole: true}

// featuresParams are the parameters of the bins of all features.
type featuresParams struct {
	BinParams
	features int
	most     []float64 // MaxBin by feature; nil: MaxBin for all
}

// of returns the parameters of a feature.
func (p *featuresParams) of(feature int) BinParams {
	one := p.BinParams
	if p.most != nil {
		one.MaxBin = int(p.most[feature])
	}
	return one
}

// byFeature returns the parameters of each feature. The error matches [ErrParams].
func (p BinParams) byFeature(names []string) (*featuresParams, error) {
	most, err := byfeature.Of("max_bin_by_feature", p.MaxBinByFeature, maxBinRange, float64(p.MaxBin), names)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	return &featuresParams{BinParams: p, features: len(names), most: most}, nil
}
