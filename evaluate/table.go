package evaluate

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate/internal/group"
	"github.com/lambdamart/lambdamart/io/data"
)

// FromTable returns the ranking by the scores of a table, whose rows have a query, a target and a score each,
// in any order. A table whose rows are not ordered by query is read twice; a table whose rows have weights is
// in memory. The caller closes t after the ranking has been judged.
func FromTable(system string, t *data.ScoreTable) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		if t.Weighted {
			return j.weighted(ctx, t)
		}
		return j.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			var query []string
			return t.Blocks(ctx, func(b *dataset.Block) error {
				query = appendIDs(query[:0], b)
				return emit(j.rowsOf(query, b))
			})
		})
	}}
}

// weighted judges a table whose rows have weights, in memory.
func (j *judge) weighted(ctx context.Context, t *data.ScoreTable) error {
	var all Rows
	var weights []float64
	j.found = Anomalies{}
	err := t.Blocks(ctx, func(b *dataset.Block) error {
		rows := j.rowsOf(nil, b)
		all.Query, all.Labels = appendIDs(all.Query, b), append(all.Labels, rows.Labels...)
		all.Scores = append(all.Scores, rows.Scores...)
		weights = append(weights, b.Weights...)
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

// byQuery returns the rows as data, query by query in the order of their first rows. sorted reports whether
// this changed the order.
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

// appendIDs appends the query of each row of a block.
func appendIDs(ids []string, b *dataset.Block) []string {
	for _, q := range b.Queries {
		for range q.Len {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// rowsOf counts the gaps of a block, and returns its rows with the given queries. It replaces targets that
// are NaN by 0, in the memory of the block.
func (j *judge) rowsOf(query []string, b *dataset.Block) group.Rows {
	for i, target := range b.Labels {
		if math.IsNaN(target) {
			countNaNs(target, &j.found.MissingTargets, &j.found.NaNTargets)
			b.Labels[i] = 0
		}
		if score := b.Scores[i]; math.IsNaN(score) {
			countNaNs(score, &j.found.MissingScores, &j.found.NaNScores)
		}
	}
	return group.Rows{Query: query, Labels: b.Labels, Scores: b.Scores}
}

func countNaNs(v float64, missing, nan *int) {
	if math.Float64bits(v) == math.Float64bits(dataset.Missing) {
		*missing++
	} else {
		*nan++
	}
}
