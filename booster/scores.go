package booster

import (
	"fmt"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/tree"
)

// Scores writes the score of each binned row to dst. They are the scores that the model gives the values of
// the rows. The model must have been trained on data with the same bins: it is an error if one of its
// thresholds is not a bound of a bin. Linear leaves, which need values, are an error too. The result does not
// depend on the number of workers (one for each processor if below 1).
func Scores(dst []float64, e *tree.Ensemble, data *Bins, workers int) error {
	if len(dst) != data.NumRows() {
		return fmt.Errorf("booster: %d scores for %d rows", len(dst), data.NumRows())
	}
	pool := par.New(workers)
	defer pool.Close()
	walker, features := grow.NewTree(data, pool), len(e.FeatureNames())
	leafOf := make([]int32, len(dst))
	clear(dst)
	for i := range e.Trees {
		if e.Trees[i].Linear != nil {
			return fmt.Errorf("booster: tree %d has linear leaves, which binned rows cannot be scored by", i+1)
		}
		if err := walker.Load(&e.Trees[i], features); err != nil {
			return fmt.Errorf("booster: tree %d is of other bins: %w", i+1, err)
		}
		if clear(leafOf); e.Trees[i].NumNodes() > 0 {
			walker.FindLeaves(leafOf, data)
		}
		addValues(pool, dst, leafOf, e.Trees[i].LeafValue)
	}
	if e.Average && len(e.Trees) > 0 {
		for row := range dst {
			dst[row] /= float64(len(e.Trees))
		}
	}
	return nil
}

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// addValues adds the value of each row's leaf to its score.
func addValues(pool *par.Pool, scores []float64, leafOf []int32, values []float64) {
	pool.Blocks(len(scores), min(scoreBlock, grow.BlockOf(len(scores))), func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += values[leafOf[row]]
		}
	})
}
