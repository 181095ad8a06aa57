package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/group"
	"github.com/lambdamart/lambdamart/io/data/scored"
)

func (o *options) tableRanking(column string) ranking {
	return ranking{column, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		t, err := scored.Open(o.data, scored.Options{
			Columns: scored.Columns{Query: o.judging.queryColumn, Target: o.judging.targetColumn, Score: column},
			Format:  o.layout.Format,
		})
		if err != nil {
			return columnHint(err)
		}
		defer t.Close()
		return columnHint(o.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			*odd = oddities{}
			return t.Rows(ctx, func(b *scored.Batch) error { return emit(odd.ofBatch(b)) })
		}, sink, odd))
	}}
}

// columnHint adds which parameters name columns.
func columnHint(err error) error {
	if errors.Is(err, scored.ErrNoColumn) {
		return fmt.Errorf("%w; query_field=, target_field= and score_field= name them", err)
	}
	return err
}

// ofBatch counts what a batch lacks, and returns its rows.
func (d *oddities) ofBatch(b *scored.Batch) group.Rows {
	d.MissingScores += b.MissingScores
	d.NaNScores += b.NaNScores
	d.MissingTargets += b.MissingTargets
	d.NaNTargets += b.NaNTargets
	if b.MissingTargets+b.NaNTargets > 0 {
		for i, target := range b.Target {
			if math.IsNaN(target) {
				b.Target[i] = 0
			}
		}
	}
	return group.Rows{Query: b.Query, Labels: b.Target, Scores: b.Score}
}
