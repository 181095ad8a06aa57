package evaluate

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/evaluate/internal/group"
	"github.com/lambdamart/lambdamart/io/data/scored"
)

// FromTable returns the ranking that the scores of a table make, whose rows have a query, a target
// and a score each and may be in any order. A table whose rows are not ordered by query is read
// twice. The caller closes t when the ranking has been judged.
func FromTable(system string, t *scored.Table) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		return j.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			return t.Rows(ctx, func(b *scored.Batch) error { return emit(j.rowsOf(b)) })
		})
	}}
}

// rowsOf counts what a batch lacks, and returns its rows. Targets that are not there become 0, in
// the memory of the batch.
func (j *judge) rowsOf(b *scored.Batch) group.Rows {
	j.found.MissingScores += b.MissingScores
	j.found.NaNScores += b.NaNScores
	j.found.MissingTargets += b.MissingTargets
	j.found.NaNTargets += b.NaNTargets
	if b.MissingTargets+b.NaNTargets > 0 {
		for i, target := range b.Target {
			if math.IsNaN(target) {
				b.Target[i] = 0
			}
		}
	}
	return group.Rows{Query: b.Query, Labels: b.Target, Scores: b.Score}
}
