package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/tree"
)

// scorer scores rows of a file with a model.
type scorer struct {
	model   *tree.Ensemble
	workers []scoringWorker
}

// scoringWorker is what one goroutine needs to score.
type scoringWorker struct {
	row     []float64 // a value for every feature of the model; zero between rows
	largest int32     // feature seen
}

// errFeatureZero explains a model whose features are numbered otherwise than the
// data's.
var errFeatureZero = errors.New("the model uses feature 0, but LETOR files begin at feature 1: it was probably trained on a matrix " +
	"whose first column is feature 1, as scikit-learn's loader makes it; then say feature_base=1")

// newScorer prepares the part of the model that the options ask for.
func (o *options) newScorer(model *tree.Ensemble, workers int) (*scorer, error) {
	if o.firstIteration > 0 || o.numIterations > 0 {
		model = partOf(model, o.firstIteration, o.numIterations)
	}
	if used := usedFeatures(model); o.featureBase == 0 && len(used) > 0 && used[0] == 0 {
		return nil, errFeatureZero
	}
	s := &scorer{model: model, workers: make([]scoringWorker, workers)}
	for i := range s.workers {
		s.workers[i].row = make([]float64, len(model.Features))
	}
	return s, nil
}

// partOf returns the model with n trees from the first on; with all that follow
// if n is below 1.
func partOf(model *tree.Ensemble, first, n int) *tree.Ensemble {
	part := *model
	first = min(first, len(model.Trees))
	part.Trees = model.Trees[first:]
	if n > 0 {
		part.Trees = part.Trees[:min(n, len(part.Trees))]
	}
	return &part
}

// score returns the score of a row.
func (s *scorer) score(worker int, row dataset.Row) (float64, error) {
	w := &s.workers[worker]
	known := len(row.Feature)
	if known > 0 {
		w.largest = max(w.largest, row.Feature[known-1])
	}
	for known > 0 && int(row.Feature[known-1]) >= len(w.row) {
		known--
	}
	for i, f := range row.Feature[:known] {
		w.row[f] = row.Value[i]
	}
	score, err := s.model.ScoreRow(w.row)
	for _, f := range row.Feature[:known] {
		w.row[f] = 0
	}
	return score, err
}

// scoreAll scores all rows of the source.
func (s *scorer) scoreAll(ctx context.Context, src dataset.Source) (*dataset.Meta, []float64, error) {
	type scored struct {
		row   int
		score float64
	}
	parts := make([][]scored, src.Workers())
	meta, err := src.Scan(ctx, nil, func(worker int, row dataset.Row) error {
		score, err := s.score(worker, row)
		parts[worker] = append(parts[worker], scored{row.Number, score})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	scores := make([]float64, meta.NumRows())
	for _, p := range slices.Concat(parts...) {
		scores[p.row] = p.score
	}
	return meta, scores, nil
}

// remarks tells where the features of the rows that were scored and of the model
// differ.
func (s *scorer) remarks(messages *console) {
	largest := 0
	for i := range s.workers {
		largest = max(largest, int(s.workers[i].largest))
	}
	if known := len(s.model.Features) - 1; largest > known {
		messages.emit(warningEvent{Message: fmt.Sprintf("the data has columns up to %d, the model knows them up to %d: the others are ignored", largest, known)})
	}
	if used := usedFeatures(s.model); len(used) > 0 && used[len(used)-1] > largest {
		messages.emit(noteEvent{Message: fmt.Sprintf("the data has columns up to %d, the model uses column %d: absent features count as zero", largest, used[len(used)-1])})
	}
}
