package evaluate

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate/internal/group"
	"github.com/lambdamart/lambdamart/io/data"
)

// FromTable returns the ranking that the scores of a table make, whose rows have a query, a target
// and a score each and may be in any order. A table whose rows are not ordered by query is read
// twice; one whose rows have weights is in memory. The caller closes t when the ranking has been judged.
func FromTable(system string, t *data.ScoreTable) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		if t.IsWeighted() {
			return j.weighted(ctx, t)
		}
		return j.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			return t.Rows(ctx, func(b *data.ScoreBatch) error { return emit(j.rowsOf(b)) })
		})
	}}
}

// weighted judges a table whose rows have weights, in memory.
func (j *judge) weighted(ctx context.Context, t *data.ScoreTable) error {
	var all Rows
	var weights []float64
	j.found = Anomalies{}
	err := t.Rows(ctx, func(b *data.ScoreBatch) error {
		rows := j.rowsOf(b)
		all.Query, all.Labels = append(all.Query, rows.Query...), append(all.Labels, rows.Labels...)
		all.Scores = append(all.Scores, rows.Scores...)
		weights = append(weights, b.Weight...)
		return nil
	})
	if err == nil && weights == nil {
		weights, err = t.CompanionWeights(all.Query)
	}
	if err != nil {
		return err
	}
	found := j.found
	meta, scores, sorted := all.byQuery(weights)
	if err := j.whole(meta, scores); err != nil {
		return err
	}
	found.Documents, found.Sorted = len(scores), sorted
	j.found = found
	return nil
}

// byQuery returns the rows as data, query by query in the order of their first rows. sorted is true if that
// is another order.
func (r *Rows) byQuery(weights []float64) (m *dataset.Meta, scores []float64, sorted bool) {
	places := map[string]int{}
	rows := [][]int{} // by query
	for row, id := range r.Query {
		place, known := places[id]
		if !known {
			place = len(rows)
			places[id], rows = place, append(rows, nil)
		}
		rows[place] = append(rows[place], row)
	}
	m = &dataset.Meta{}
	for _, of := range rows {
		m.Queries = append(m.Queries, dataset.Query{ID: r.Query[of[0]], First: len(scores), Len: len(of)})
		for _, row := range of {
			sorted = sorted || row != len(scores)
			m.Labels, m.Weights = append(m.Labels, r.Labels[row]), append(m.Weights, weights[row])
			scores = append(scores, r.Scores[row])
		}
	}
	return m, scores, sorted
}

// rowsOf counts what a batch lacks, and returns its rows. Targets that are not there become 0, in
// the memory of the batch.
func (j *judge) rowsOf(b *data.ScoreBatch) group.Rows {
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
