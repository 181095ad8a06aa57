package histogram

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
)

// togetherFeatures is the number of features whose sampled values are exchanged at a time.
const togetherFeatures = 16

// together finds the bins of all features in the sampled rows that the peers have kept. Each peer gets the
// values of all and finds all bins, which are the same.
func (f *finding) together(ctx context.Context, part *dataset.Part, kept *sampler) error {
	columns, rows, err := kept.columns(f.params.features, f.pool)
	if err != nil {
		return err
	}
	rows = part.Group().SumOf(rows)
	for first := 0; first < len(columns); first += togetherFeatures {
		if err := ctx.Err(); err != nil { // the group ends with this peer
			return err
		}
		some := columns[first:min(first+togetherFeatures, len(columns))]
		all := gatherColumns(part, some)
		f.pool.Run(len(all), func(worker, i int) { f.find(worker, first+i, all[i], rows) })
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
