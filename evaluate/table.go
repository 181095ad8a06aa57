package evaluate

import (
	"context"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// FromTable returns the ranking by the scores of a table, whose rows have a query, a target and a score each,
// in any order. A table whose rows are not ordered by query is read twice; a table whose rows have weights in
// a file of their own is in memory. The caller closes t after the ranking has been judged.
func FromTable(system string, t *data.ScoreTable) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		return j.grouped(ctx, func(ctx context.Context, emit func(Rows) error) error {
			var all Rows // those whose weights are in a file of their own
			err := t.Blocks(ctx, func(b *dataset.Block) error {
				rows := j.rowsOf(b)
				if !t.Weighted || b.Weights != nil {
					return emit(rows)
				}
				all.Query, all.Labels = append(all.Query, rows.Query...), append(all.Labels, rows.Labels...)
				all.Scores = append(all.Scores, rows.Scores...)
				return nil
			})
			if err != nil || all.Query == nil {
				return err
			}
			if all.weights, err = t.CompanionWeights(all.Query); err != nil {
				return err
			}
			return emit(all)
		})
	}}
}

// rowsOf counts the gaps of a block, and returns its rows. It replaces targets that are NaN by 0, in the
// memory of the block.
func (j *judge) rowsOf(b *dataset.Block) Rows {
	rows := Rows{Labels: b.Labels, Scores: b.Scores, weights: b.Weights}
	for _, q := range b.Queries {
		rows.Query = append(rows.Query, slices.Repeat([]string{q.ID}, q.Len)...)
	}
	for i, target := range b.Labels {
		if math.IsNaN(target) {
			countNaNs(target, &j.Anomalies.MissingTargets, &j.Anomalies.NaNTargets)
			b.Labels[i] = 0
		}
		if score := b.Scores[i]; math.IsNaN(score) {
			countNaNs(score, &j.Anomalies.MissingScores, &j.Anomalies.NaNScores)
		}
	}
	return rows
}

func countNaNs(v float64, missing, nan *int) {
	if math.Float64bits(v) == math.Float64bits(dataset.Missing) {
		*missing++
	} else {
		*nan++
	}
}
