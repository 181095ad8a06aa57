package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/group"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/letor"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/scoring"
)

func (o *options) scoresRanking(path string, docs bool, messages *console) ranking {
	return ranking{path, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		f, err := o.open(o.data, judgedRead(docs), &table.Features{Used: []int{}}, messages)
		if err != nil {
			return err
		}
		defer f.Close()
		in, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer in.Close()
		if o.hasWeights() {
			return o.listsWithWeights(ctx, f, sink, odd, func(meta *dataset.Meta) ([]float64, error) { return allScores(in, meta.NumRows()) })
		}
		return o.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			*odd = oddities{}
			return o.streamScores(ctx, f, in, odd, emit)
		}, sink, odd)
	}}
}

// streamScores reads data and its scores side by side.
func (o *options) streamScores(ctx context.Context, f *data.File, in *stream.Input, odd *oddities, emit func(group.Rows) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	scores := newScoreReader(r, in.Name())
	documents := 0
	err = f.Stream(ctx, func(int, *dataset.Block) error { return nil }, func(b *dataset.Block) error {
		documents += b.Len()
		if err := scores.fill(b.Scores); err != nil || scores.ended {
			return err // to tell how many rows there are, once they end
		}
		return odd.emitBlock(o.data, b, emit)
	})
	if err != nil {
		return err
	}
	if err := scores.drain(); err != nil {
		return err
	}
	if scores.count != documents {
		return fmt.Errorf("%s: %d scores for %d rows of data; there must be one a line for each row", in.Name(), scores.count, documents)
	}
	return nil
}

func (o *options) modelRanking(path string, docs bool, messages *console) ranking {
	return ranking{path, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		model, _, err := readRanker(path)
		if err != nil {
			return err
		}
		f, err := o.open(o.data, judgedRead(docs), model.features(), messages)
		if err != nil {
			return err
		}
		defer f.Close()
		if model, err = o.modelFor(model, f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		scorer, err := model.scorer()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var summary scoring.Summary
		if o.hasWeights() {
			err = o.listsWithWeights(ctx, f, sink, odd, func(*dataset.Meta) ([]float64, error) {
				scored, err := scoring.Scores(scorer).All(ctx, f)
				if err != nil {
					return nil, err
				}
				summary = scored.Summary
				return scored.Numbers, nil
			})
		} else {
			err = o.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
				*odd = oddities{}
				summary, err = scoring.Scores(scorer).Stream(ctx, f, func(b *dataset.Block, scores []float64) error {
					copy(b.Scores, scores)
					return odd.emitBlock(o.data, b, emit)
				})
				return err
			}, sink, odd)
		}
		if err == nil {
			messages.endProgress()
			remarks(summary, messages)
		}
		return err
	}}
}

// emitBlock hands on the rows of a block.
func (d *oddities) emitBlock(path string, b *dataset.Block, emit func(group.Rows) error) error {
	if b.Queries == nil {
		return &dataset.Error{Path: path, Err: letor.ErrNoQueries}
	}
	out := group.Rows{Query: make([]string, b.Len()), Labels: b.Labels, Scores: b.Scores, Docs: b.Docs}
	for _, q := range b.Queries {
		for row := max(q.First, b.FirstRow); row < min(q.First+q.Len, b.FirstRow+b.Len()); row++ {
			out.Query[row-b.FirstRow] = q.ID
		}
	}
	for _, score := range b.Scores {
		if math.IsNaN(score) {
			d.NaNScores++
		}
	}
	return emit(out)
}

// hasWeights tells whether rows have weights, which are read with all rows.
func (o *options) hasWeights() bool {
	_, err := os.Stat(filepath.Clean(o.data) + ".weight")
	return err == nil || o.layout.Weight != ""
}

// listsWithWeights makes the lists of rows with weights. Labels, weights and
// scores of all rows are in memory.
func (o *options) listsWithWeights(ctx context.Context, f *data.File, sink group.Sink, odd *oddities, score func(*dataset.Meta) ([]float64, error)) error {
	meta, err := f.Scan(ctx, func(int) bool { return false }, nil)
	if err != nil {
		return err
	}
	scores, err := score(meta)
	if err != nil {
		return err
	}
	*odd = oddities{Rows: meta.NumRows()}
	sink.Reset()
	for _, q := range meta.Queries {
		if err := sink.Add(odd.weighted(meta, q, scores)); err != nil {
			return err
		}
	}
	return nil
}

// weighted is the list of a query's rows. The weight of a query is the mean of its
// rows', also of those that have no score.
func (d *oddities) weighted(meta *dataset.Meta, q dataset.Query, scores []float64) metric.List {
	l := metric.List{Query: q.ID}
	sum := 0.0
	for row := q.First; row < q.First+q.Len; row++ {
		if meta.Weights != nil {
			sum += meta.Weights[row]
		}
		if math.IsNaN(scores[row]) {
			d.NaNScores++
			l.Unranked = append(l.Unranked, meta.Labels[row])
			continue
		}
		l.Labels, l.Scores = append(l.Labels, meta.Labels[row]), append(l.Scores, scores[row])
		if meta.Docs != nil {
			l.Docs = append(l.Docs, meta.Docs[row])
		}
	}
	if meta.Weights == nil {
		return l
	}
	for range l.Labels {
		l.Weights = append(l.Weights, sum/float64(q.Len))
	}
	return l
}
