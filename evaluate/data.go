package evaluate

import (
	"context"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate/internal/group"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/scoring"
)

// FromModel returns the ranking that a model's scores make of data. Only the features that the
// model uses are needed; [Judgment.Scoring] says how they fitted. Data whose rows are not ordered
// by query is read twice. The caller closes src when the ranking has been judged.
func FromModel(system string, src dataset.Source, m scoring.Model) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		j.share(src)
		output := scoring.Scores(m)
		if src.HasWeights() { // which blocks do not carry
			scored, err := output.All(ctx, src)
			if err != nil {
				return err
			}
			j.scoring = &scored.Summary
			return j.whole(scored.Meta, scored.Numbers)
		}
		return j.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			summary, err := output.Stream(ctx, src, func(b *dataset.Block,
				scores []float64) error {
				return j.emitBlock(b, scores, emit)
			})
			j.scoring = &summary
			return err
		})
	}}
}

// FromScoreFile returns the ranking that the scores in a file make of data. The file has one number
// a line, in the order of the data; a document that is judged but not ranked has "nan". Feature
// values are not needed. Where rows are not ordered by query, both are read twice. The caller
// closes src when the ranking has been judged.
//
// Errors about the file name the line.
func FromScoreFile(system string, src dataset.Source, path string) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		scores, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer scores.Close()
		j.share(src)
		if !src.HasWeights() { // which blocks do not carry
			return j.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
				return j.sideBySide(ctx, src, scores, emit)
			})
		}
		meta, err := dataset.Describe(ctx, src)
		if err != nil {
			return err
		}
		first, _ := meta.Part.First()
		all, err := readScores(scores, place{first, meta.AllRows()}, meta.NumRows())
		if err != nil {
			return err
		}
		return j.whole(meta, all)
	}}
}

// sideBySide reads data together with its scores.
func (j *judge) sideBySide(ctx context.Context, src dataset.Source, in *stream.Input,
	emit func(group.Rows) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	scores, whole := newScoreReader(r, in.Name()), placeOf(src)
	if err := scores.pass(whole.first); err != nil {
		return err
	}
	rows := 0
	var memory []float64
	err = dataset.Stream(ctx, src, nil, func(b *dataset.Block) error {
		rows += b.Len()
		memory = reuse.Slice(memory, b.Len())
		if err := scores.fill(memory); err != nil || scores.ended {
			return err // where scores have ended, only the number of rows is still of interest, for the message
		}
		return j.emitBlock(b, memory, emit)
	})
	if err != nil {
		return err
	}
	return scores.finish(whole.all(rows))
}

// emitBlock hands over the rows of a block with their scores.
func (j *judge) emitBlock(b *dataset.Block, scores []float64, emit func(group.Rows) error) error {
	if b.Queries == nil {
		return &dataset.Error{Path: b.Path, Err: dataset.ErrNoQueries}
	}
	out := group.Rows{Query: make([]string, b.Len()), Labels: b.Labels, Scores: scores, Docs: b.Docs}
	for _, q := range b.Queries {
		for row := max(q.First, b.FirstRow); row < min(q.First+q.Len, b.FirstRow+b.Len()); row++ {
			out.Query[row-b.FirstRow] = q.ID
		}
	}
	j.found.countScores(scores)
	return emit(out)
}
