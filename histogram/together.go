package histogram

import (
	"context"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/ranks"
)

// togetherFeatures is the number of features whose sampled values are exchanged at a time.
const togetherFeatures = 16

// findTogether finds the bins of features whose sampled values the ranks have: columns[f] has those of this
// rank that are not 0, of so many sampled rows. Each feature is found by one rank.
func findTogether(ctx context.Context, g ranks.Group, columns [][]float64, rows int, params []featureParams) (m *Mapper, shares []float64, err error) {
	rows = ranks.SumOf(g, rows)
	m, shares = &Mapper{Features: make([]FeatureBins, len(columns))}, make([]float64, len(columns))
	var w finder
	for first := 0; first < len(columns); first += togetherFeatures {
		if err := ctx.Err(); err != nil { // the group ends with this rank
			return nil, nil, err
		}
		some := columns[first:min(first+togetherFeatures, len(columns))]
		var found []int64
		for i, values := range gatherColumns(g, some) {
			if i%g.Size() == g.Rank() {
				f := w.find(values, rows-len(values), params[first+i])
				found = f.appendWords(append(found, int64(first+i), int64(w.others)))
			}
		}
		for _, words := range ranks.Gather(g, found) {
			if err := m.read(words, shares, rows); err != nil {
				return nil, nil, err
			}
		}
		clear(some)
	}
	return m, shares, nil
}

// gatherColumns returns the values of all ranks in each column.
func gatherColumns(g ranks.Group, columns [][]float64) [][]float64 {
	words := make([]int64, len(columns))
	for i, values := range columns {
		words[i] = int64(len(values))
		for _, v := range values {
			words = append(words, int64(math.Float64bits(v)))
		}
	}
	all := make([][]float64, len(columns))
	for _, part := range ranks.Gather(g, words) {
		values := part[len(columns):]
		for i, n := range part[:len(columns)] {
			for _, bits := range values[:n] {
				all[i] = append(all[i], math.Float64frombits(uint64(bits)))
			}
			values = values[n:]
		}
	}
	return all
}

// appendWords appends integers that stand for f.
func (f *FeatureBins) appendWords(words []int64) []int64 {
	words = append(words, int64(len(f.UpperBounds)), int64(f.Missing), int64(math.Float64bits(f.Min)), int64(math.Float64bits(f.Max)))
	for _, bound := range f.UpperBounds {
		words = append(words, int64(math.Float64bits(bound)))
	}
	return words
}

// read sets the features that another rank has found in so many rows, and the shares of rows whose value is not 0: for
// each feature, its number, the number of these rows, and what appendWords appends.
func (m *Mapper) read(words []int64, shares []float64, rows int) (err error) {
	for len(words) > 0 {
		feature, n := words[0], int(words[2])
		shares[feature] = float64(words[1]) / float64(max(1, rows))
		bounds := make([]float64, n)
		for i, bits := range words[6:][:n] {
			bounds[i] = math.Float64frombits(uint64(bits))
		}
		low, high := math.Float64frombits(uint64(words[4])), math.Float64frombits(uint64(words[5]))
		if m.Features[feature], err = NewFeatureBins(bounds, Missing(words[3]), low, high); err != nil {
			return fmt.Errorf("feature %d: %w", feature, err)
		}
		words = words[6+n:]
	}
	return nil
}
