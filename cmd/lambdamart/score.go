package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/table"
	"github.com/lambdamart/lambdamart/tree"
)

// scorer computes numbers from rows with a model: the score, as a rule. It
// collects rows, since many together are done faster.
type scorer struct {
	model   *tree.Ensemble
	width   int                                    // numbers a row
	compute func(dst, rows []float64, n int) error // for n rows, as tree.Ensemble.Contributions
	workers []scoringWorker
}

// scoringWorker is what one goroutine needs.
type scoringWorker struct {
	rows    []float64 // batchRows rows with a value for every feature; zero where nothing waits
	waiting int       // rows that are not computed yet
	numbers []int     // of all rows since the last take
	results []float64 // width numbers for each row that is computed
	largest int32     // feature seen
}

// batchRows is the number of rows that are computed together: a few blocks of the
// compiled model.
const batchRows = 256

// errFeatureZero explains a model whose features are numbered otherwise than the
// data's.
var errFeatureZero = errors.New("the model uses feature 0, but LETOR files begin at feature 1: it was probably trained on a matrix " +
	"whose first column is feature 1, as scikit-learn's loader makes it; then say feature_base=1")

// featuresOf returns the features of a model that a table must have.
func featuresOf(model *tree.Ensemble) *table.Features {
	f := &table.Features{Label: model.LabelIndex, Used: append([]int{}, model.UsedFeatures()...)}
	for _, feature := range model.Features {
		f.Names = append(f.Names, feature.Name)
	}
	return f
}

// newScorer prepares the part of the model that the options ask for,
// for the rows of src.
func (o *options) newScorer(model *tree.Ensemble, src *source) (*scorer, error) {
	if o.firstIteration > 0 || o.numIterations > 0 {
		model = partOf(model, o.firstIteration, o.numIterations)
	}
	if used := model.UsedFeatures(); !src.isTable && o.featureBase == 0 && len(used) > 0 && used[0] == 0 {
		return nil, errFeatureZero
	}
	s := &scorer{model: model, workers: make([]scoringWorker, src.Workers())}
	for i := range s.workers {
		s.workers[i].rows = make([]float64, batchRows*len(model.Features))
	}
	return s, o.chooseResult(s)
}

// chooseResult sets what s computes for a row.
func (o *options) chooseResult(s *scorer) error {
	switch {
	case o.leafIndex:
		s.width, s.compute = len(s.model.Trees), func(dst, rows []float64, n int) error {
			leaves := make([]int32, len(dst))
			err := s.model.Leaves(leaves, rows, n)
			for i, leaf := range leaves {
				dst[i] = float64(leaf)
			}
			return err
		}
	case o.contributions:
		s.width, s.compute = len(s.model.Features)+1, s.model.Contributions
	default:
		compiled, err := tree.Compile(s.model)
		if err != nil {
			return err
		}
		s.width, s.compute = 1, func(dst, rows []float64, _ int) error { return compiled.Score(dst, rows) }
	}
	return nil
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

// add takes in a row, to be computed at the latest when [scorer.take] is called.
func (s *scorer) add(worker int, row dataset.Row) error {
	w := &s.workers[worker]
	features := len(s.model.Features)
	dense := w.rows[w.waiting*features:][:features]
	for i, f := range row.Feature {
		if int(f) < features {
			dense[f] = row.Value[i]
		}
	}
	if n := len(row.Feature); n > 0 {
		w.largest = max(w.largest, row.Feature[n-1])
	}
	w.numbers = append(w.numbers, row.Number)
	if w.waiting++; w.waiting == batchRows {
		return s.flush(w)
	}
	return nil
}

// flush computes the rows that wait.
func (s *scorer) flush(w *scoringWorker) error {
	rows := w.rows[:w.waiting*len(s.model.Features)]
	done, more := len(w.results), w.waiting*s.width
	w.results = slices.Grow(w.results, more)[:done+more]
	err := s.compute(w.results[done:], rows, w.waiting)
	clear(rows)
	w.waiting = 0
	return err
}

// take returns the row numbers and the results of a worker's rows, in the order
// in which they were added. They are valid until the next row is added.
func (s *scorer) take(worker int) (numbers []int, results []float64, err error) {
	w := &s.workers[worker]
	err = s.flush(w)
	numbers, results = w.numbers, w.results
	w.numbers, w.results = numbers[:0], results[:0]
	return numbers, results, err
}

// scoreAll scores all rows of the source.
func (s *scorer) scoreAll(ctx context.Context, src dataset.Source) (*dataset.Meta, []float64, error) {
	meta, err := src.Scan(ctx, nil, s.add)
	if err != nil {
		return nil, nil, err
	}
	all := make([]float64, meta.NumRows())
	for worker := range s.workers {
		numbers, scores, err := s.take(worker)
		if err != nil {
			return nil, nil, err
		}
		for i, row := range numbers {
			all[row] = scores[i]
		}
	}
	return meta, all, nil
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
	if used := s.model.UsedFeatures(); len(used) > 0 && used[len(used)-1] > largest {
		messages.emit(noteEvent{Message: fmt.Sprintf("the data has columns up to %d, the model uses column %d: absent features count as zero", largest, used[len(used)-1])})
	}
}
