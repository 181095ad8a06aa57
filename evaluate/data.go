package evaluate

import (
	"context"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/scoring"
)

// FromModel returns the ranking of data by a model's scores. Only the features that the model uses are
// needed; [Judgment.Scoring] describes how they matched. Data whose rows are not ordered by query is read
// twice. The caller closes src after the ranking has been judged.
func FromModel(system string, src dataset.Source, m scoring.Model) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		j.part = src.Part()
		output := scoring.Scores(m)
		if src.HasWeights() || j.readsMore() { // blocks do not carry them
			scored, err := output.All(ctx, src)
			if err != nil {
				return err
			}
			j.Scoring = &scored.Summary
			return j.whole(scored.Meta, scored.Numbers)
		}
		return j.located(ctx, src, func(ctx context.Context, emit func(Rows) error) error {
			summary, err := output.Stream(ctx, src, func(b *dataset.Block,
				scores []float64) error {
				return j.emitBlock(b, scores, emit)
			})
			j.Scoring = &summary
			return err
		})
	}}
}

// FromScoreFile returns the ranking of data by the scores in a file. The file has one number a line, in the
// order of the data, and "nan" for a document that is judged but not ranked. Feature values are not needed.
// If rows are not ordered by query, both files are read twice. The caller closes src after the ranking has
// been judged.
//
// Errors about the score file name the line.
func FromScoreFile(system string, src dataset.Source, path string) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		scores, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer scores.Close()
		j.part = src.Part()
		if !src.HasWeights() && !j.readsMore() { // blocks do not carry them
			return j.located(ctx, src, func(ctx context.Context, emit func(Rows) error) error {
				return j.sideBySide(ctx, src, scores, emit)
			})
		}
		meta, err := dataset.Describe(ctx, src)
		if err != nil {
			return err
		}
		first, _ := meta.Part.First()
		all, err := readScores(scores, first, meta.AllRows(), meta.NumRows())
		if err != nil {
			return err
		}
		return j.whole(meta, all)
	}}
}

// located is grouped for rows of data: an error about a label has its place, for which src is read again.
func (j *judge) located(ctx context.Context, src dataset.Source, rows rowSource) error {
	return metric.Locate(j.grouped(ctx, rows), func() (*dataset.Meta, error) {
		return dataset.Describe(ctx, src)
	})
}

// sideBySide reads data together with its scores.
func (j *judge) sideBySide(ctx context.Context, src dataset.Source, in *stream.Input,
	emit func(Rows) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	scores, part := newScoreReader(r, in.Name()), src.Part()
	first, _ := part.First()
	if err := scores.pass(first); err != nil {
		return err
	}
	rows := 0
	var memory []float64
	err = dataset.Stream(ctx, src, nil, func(b *dataset.Block) error {
		rows += b.Len()
		memory = reuse.Slice(memory, b.Len())
		if err := scores.fill(memory); err != nil || scores.ended {
			return err // after the last score, only the number of rows matters, for the message
		}
		return j.emitBlock(b, memory, emit)
	})
	if err != nil {
		return err
	}
	if part != nil {
		rows = part.Rows
	}
	return scores.finish(rows)
}

// emitBlock passes on the rows of a block with their scores.
func (j *judge) emitBlock(b *dataset.Block, scores []float64, emit func(Rows) error) error {
	if b.Queries == nil {
		return &dataset.Error{Path: b.Path, Err: dataset.ErrNoQueries}
	}
	out := Rows{Query: make([]string, b.Len()), Labels: b.Labels, Scores: scores, Docs: b.Docs}
	for _, q := range b.Queries {
		for row := max(q.First, b.FirstRow); row < min(q.First+q.Len, b.FirstRow+b.Len()); row++ {
			out.Query[row-b.FirstRow] = q.ID
		}
	}
	j.Anomalies.countScores(scores)
	return emit(out)
}
