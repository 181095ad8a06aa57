package nnbaseline

import (
	"cmp"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/par"
)

// feature describes a column of a model: how its compressed values become inputs.
type feature struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"` // of the compressed values of the training rows
	// 1 / their standard deviation; 0 for a constant feature, so that its input is always 0
	Scale float64 `json:"scale"`
}

// inputs is the first stage of a network: it standardizes compressed values.
type inputs struct {
	features []feature
	nan      string // Params.NaN
}

// standardize sets dst to (x - mean) · scale for the compressed values x of a row. If x has fewer values
// than there are features, the others are zero. NaN becomes 0, which is the mean. It returns the feature of
// the first NaN, or -1 if there is none.
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

// nanError returns the error for a NaN in a feature, or nil if there is none (feature is -1) or if the
// model has a value for it.
func (in *inputs) nanError(row, feature int) error {
	if feature < 0 || in.nan != RefuseNaN {
		return nil
	}
	return &valueError{row, fmt.Sprintf("%d (%s)", feature, in.features[feature].Name), isNaN}
}

// learnInputs computes the mean and deviation of each feature over all rows, without values that are NaN.
// Each block of rows has its own sums, which are then added up in the order of the blocks, so that they do
// not depend on the number of workers. A feature is constant if its smallest value is its largest.
func learnInputs(p *Params, train Data, pool *par.Pool) (*inputs, error) {
	v := train.Values
	in := &inputs{features: make([]feature, v.numFeatures()), nan: p.NaN}
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

// checkNaN returns an error for the first row with a NaN among the features, unless the model has a
// value for NaN.
func (in *inputs) checkNaN(v *Values, pool *par.Pool) error {
	if in.nan != RefuseNaN {
		return nil
	}
	width := min(v.features, len(in.features))
	errs := make([]error, len(v.blocks))
	pool.Run(len(v.blocks), func(_, i int) {
		for row := i * valueRows; row < min(v.rows, (i+1)*valueRows) && errs[i] == nil; row++ {
			for f, x := range v.row(row)[:width] {
				if x != x {
					errs[i] = in.nanError(row, f)
					break
				}
			}
		}
	})
	return cmp.Or(errs...)
}

// columnSums calls add for all values but NaN, and returns the sums of each feature.
func columnSums(v *Values, pool *par.Pool, add func(sums []float64, f int, x float64)) []float64 {
	parts := make([][]float64, len(v.blocks))
	pool.Run(len(v.blocks), func(_, i int) {
		parts[i] = make([]float64, v.features)
		for row := i * valueRows; row < min(v.rows, (i+1)*valueRows); row++ {
			for f, x := range v.row(row) {
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

// columnRanges returns each feature's smallest and largest value, and the number of its values that
// are not NaN.
func columnRanges(v *Values) (least, most []float32, counts []float64) {
	least, most, counts = make([]float32, v.features), make([]float32, v.features), make([]float64, v.features)
	for row := range v.rows {
		for f, x := range v.row(row) {
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
