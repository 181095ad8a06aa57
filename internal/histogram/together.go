package histogram

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
)

// togetherFeatures is the number of features whose sampled values are exchanged at a time.
const togetherFeatures = 16

// together finds the bins of all features in the sampled rows that the peers have kept. The bins of each
// feature are found by one peer.
func (f *finding) together(ctx context.Context, part *dataset.Part, kept *sampler) error {
	columns, rows, err := kept.columns(f.params.features, f.pool)
	if err != nil {
		return err
	}
	g := part.Group()
	rows = g.SumOf(rows)
	for first := 0; first < len(columns); first += togetherFeatures {
		if err := ctx.Err(); err != nil { // the group ends with this peer
			return err
		}
		some := columns[first:min(first+togetherFeatures, len(columns))]
		var found []int64
		for i, values := range gatherColumns(part, some) {
			if i%g.Size() == g.Rank() {
				f.find(0, first+i, values, rows)
				found = f.appendWords(append(found, int64(first+i)), first+i)
			}
		}
		for _, words := range g.Gather(found) {
			if err := f.read(words); err != nil {
				return err
			}
		}
		clear(some)
	}
	return nil
}

// gatherColumns returns the values of all peers in each column.
func gatherColumns(part *dataset.Part, columns [][]float64) [][]float64 {
	words := make([]int64, len(columns))
	for i, values := range columns {
		words[i] = int64(len(values))
		for _, v := range values {
			words = append(words, int64(math.Float64bits(v)))
		}
	}
	all := make([][]float64, len(columns))
	for _, own := range part.Group().Gather(words) {
		values := own[len(columns):]
		for i, n := range own[:len(columns)] {
			for _, bits := range values[:n] {
				all[i] = append(all[i], math.Float64frombits(uint64(bits)))
			}
			values = values[n:]
		}
	}
	return all
}

// countsOfCategories is the number of integers that follow the categories of a feature in a message.
const countsOfCategories = 6

// appendWords appends the bins and statistics of a feature as integers.
func (f *finding) appendWords(words []int64, feature int) []int64 {
	b := &f.mapper.Features[feature]
	size := len(b.UpperBounds)
	if b.IsCategorical() {
		size = len(b.Categories)
	}
	words = append(words, int64(size), int64(b.Missing), int64(math.Float64bits(b.Min)),
		int64(math.Float64bits(b.Max)), int64(math.Float64bits(f.shares[feature])))
	for _, bound := range b.UpperBounds {
		words = append(words, int64(math.Float64bits(bound)))
	}
	i, is := slices.BinarySearch(f.categorical, feature)
	if !is {
		return words
	}
	for _, category := range b.Categories {
		words = append(words, int64(category))
	}
	c := &f.found[i]
	return append(words, int64(c.distinct), int64(c.rows), int64(c.binned), int64(c.negative), int64(c.broken),
		int64(c.tooLarge))
}

// read sets the features that another peer has found. words has, for each, its number
// and what appendWords appends.
func (f *finding) read(words []int64) (err error) {
	for len(words) > 0 {
		feature, n, missing := int(words[0]), int(words[1]), Missing(words[2])
		low, high := math.Float64frombits(uint64(words[3])), math.Float64frombits(uint64(words[4]))
		f.shares[feature] = math.Float64frombits(uint64(words[5]))
		numbers := words[6:][:n]
		words = words[6+n:]
		if i, is := slices.BinarySearch(f.categorical, feature); is {
			counts := words[:countsOfCategories]
			words = words[countsOfCategories:]
			err = f.readCategories(&f.found[i], feature, numbers, counts, missing, low, high)
		} else {
			bounds := make([]float64, n)
			for i, bits := range numbers {
				bounds[i] = math.Float64frombits(uint64(bits))
			}
			f.mapper.Features[feature], err = NewFeatureBins(FeatureBins{UpperBounds: bounds, Missing: missing,
				Min: low, Max: high})
		}
		if err != nil {
			return fmt.Errorf("feature %d: %w", feature, err)
		}
	}
	return nil
}

// readCategories sets a categorical feature that another peer has found. A feature with a category that is
// too large, which is reported as an error later, gets no bins.
func (f *finding) readCategories(c *categories, feature int, list, counts []int64, missing Missing, low,
	high float64) (err error) {
	*c = categories{distinct: int(counts[0]), rows: int(counts[1]), binned: int(counts[2]),
		negative: int(counts[3]), broken: int(counts[4]), tooLarge: int32(counts[5])}
	numbers := make([]int32, len(list))
	for i, category := range list {
		numbers[i] = int32(category)
	}
	c.bins.Categories = numbers
	if c.tooLarge > 0 {
		return nil
	}
	if c.bins, err = NewFeatureBins(FeatureBins{Categories: numbers, Missing: missing, Min: low,
		Max: high}); err == nil {
		f.mapper.Features[feature] = c.bins
	}
	return err
}
