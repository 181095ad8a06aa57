package nnbaseline

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Feature is what a model knows of a column: how its compressed values become
// inputs.
type Feature struct {
	Name  string  `json:"name"`
	Mean  float64 `json:"mean"`  // of the compressed values of the training rows
	Scale float64 `json:"scale"` // 1 / their standard deviation; 0 for a constant feature, whose input is always 0
}

// inputs are the first layer of a network: compressed values to standardized ones.
type inputs struct {
	features []Feature
	nan      string // Params.NaN
}

// standardize sets dst to (x - mean) · scale for the compressed values x of a row. A
// row with fewer values than there are features has zeros for the others. NaN becomes
// 0, which is the mean; the return value is the feature of the first NaN, -1 if there
// is none.
func (in *inputs) standardize(dst, x []float32) (firstNaN int) {
	firstNaN = -1
	x = x[:min(len(x), len(in.features))]
	for f := range in.features {
		feature := &in.features[f]
		v := 0.0
		if f < len(x) {
			v = float64(x[f])
		}
		if v != v {
			if firstNaN < 0 {
				firstNaN = f
			}
			v = feature.Mean
		}
		dst[f] = float32(float64((v - feature.Mean) * feature.Scale))
	}
	return firstNaN
}

// nanError returns the error for a NaN, or nil where the model has a value for it.
func (in *inputs) nanError(row, feature int) error {
	if feature < 0 || in.nan != RefuseNaN {
		return nil
	}
	return &NaNError{Row: row, Feature: feature, Name: in.features[feature].Name}
}

// learnInputs finds mean and deviation of each feature over all rows, without NaN.
// Sums are of blocks of rows and then of blocks in their order, so that they do not
// depend on the number of workers. A feature is constant if its smallest value is
// its largest.
func learnInputs(p *Params, train Data, pool *par.Pool) (*inputs, error) {
	v := train.Values
	in := &inputs{features: make([]Feature, v.NumFeatures()), nan: p.NaN}
	for f := range in.features {
		in.features[f].Name = train.Meta.Features[f]
	}
	if err := in.checkNaN(v, pool); err != nil {
		return nil, err
	}
	first := columnSums(v, pool, func(sums []float64, f int, x float64) { sums[f] += x })
	least, most, counts := columnRanges(v)
	for f := range in.features {
		in.features[f].Mean = first[f] / math.Max(1, counts[f])
	}
	second := columnSums(v, pool, func(sums []float64, f int, x float64) {
		d := x - in.features[f].Mean
		sums[f] += float64(d * d)
	})
	for f := range in.features {
		if least[f] < most[f] {
			in.features[f].Scale = 1 / math.Sqrt(second[f]/counts[f])
		}
	}
	return in, nil
}

// checkNaN finds the first row with a NaN among the features, where it is an error.
func (in *inputs) checkNaN(v *Values, pool *par.Pool) error {
	if in.nan != RefuseNaN {
		return nil
	}
	width := min(v.features, len(in.features))
	errs := make([]error, len(v.blocks))
	pool.Run(len(v.blocks), func(_, i int) {
		for row := i * valueRows; row < min(v.rows, (i+1)*valueRows) && errs[i] == nil; row++ {
			for f, x := range v.Row(row)[:width] {
				if x != x {
					errs[i] = in.nanError(row, f)
					break
				}
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// columnSums adds something up over all values but NaN, feature by feature.
func columnSums(v *Values, pool *par.Pool, add func(sums []float64, f int, x float64)) []float64 {
	parts := make([][]float64, len(v.blocks))
	pool.Run(len(v.blocks), func(_, i int) {
		parts[i] = make([]float64, v.features)
		for row := i * valueRows; row < min(v.rows, (i+1)*valueRows); row++ {
			for f, x := range v.Row(row) {
				if x == x {
					add(parts[i], f, float64(x))
				}
			}
		}
	})
	total := make([]float64, v.features)
	for _, part := range parts {
		for f, x := range part {
			total[f] += x
		}
	}
	return total
}

// columnRanges returns each feature's smallest and largest value, and how many values
// are not NaN.
func columnRanges(v *Values) (least, most []float32, counts []float64) {
	least, most, counts = make([]float32, v.features), make([]float32, v.features), make([]float64, v.features)
	for row := range v.rows {
		for f, x := range v.Row(row) {
			if x != x {
				continue
			}
			if counts[f] == 0 {
				least[f], most[f] = x, x
			}
			least[f], most[f] = min(least[f], x), max(most[f], x)
			counts[f]++
		}
	}
	return least, most, counts
}
