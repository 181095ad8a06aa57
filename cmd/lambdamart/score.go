package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/tree"
)

// scorer computes numbers from rows with a model: the score, as a rule. It
// collects rows, since many together are done faster.
type scorer struct {
	features int                                    // values of a row
	used     []int                                  // numbers of those that matter, ascending
	width    int                                    // numbers a row
	compute  func(dst, rows []float64, n int) error // for n rows, as tree.Ensemble.Contributions
	workers  []scoringWorker
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

// features returns the features of a model that a table must have.
func (m rankingModel) features() *table.Features {
	f := &table.Features{Used: m.usedFeatures()}
	if m.network != nil {
		for _, feature := range m.network.Features() {
			f.Names = append(f.Names, feature.Name)
		}
		return f
	}
	f.Label = m.trees.LabelIndex
	for _, feature := range m.trees.Features {
		f.Names = append(f.Names, feature.Name)
	}
	return f
}

// usedFeatures returns the numbers of the features that scores depend on,
// ascending: those that trees split on, or that were not constant in the training
// data of a network.
func (m rankingModel) usedFeatures() []int {
	if m.network == nil {
		return append([]int{}, m.trees.UsedFeatures()...)
	}
	used := []int{}
	for f, feature := range m.network.Features() {
		if feature.Scale != 0 {
			used = append(used, f)
		}
	}
	return used
}

// newScorer prepares the part of the model that the options ask for,
// for the rows of src.
func (o *options) newScorer(model rankingModel, src *source) (*scorer, error) {
	if err := o.checkParts(model); err != nil {
		return nil, err
	}
	if o.firstIteration > 0 || o.numIterations > 0 {
		model.trees = partOf(model.trees, o.firstIteration, o.numIterations)
	}
	used := model.usedFeatures()
	if !src.isTable && o.featureBase == 0 && len(used) > 0 && used[0] == 0 {
		return nil, errFeatureZero
	}
	s := &scorer{used: used, workers: make([]scoringWorker, src.Workers())}
	if err := o.chooseResult(s, model); err != nil {
		return nil, err
	}
	for i := range s.workers {
		s.workers[i].rows = make([]float64, batchRows*s.features)
	}
	return s, nil
}

// checkParts refuses to take a network apart.
func (o *options) checkParts(model rankingModel) error {
	if model.network == nil {
		return nil
	}
	for _, p := range []struct {
		asked bool
		name  string
	}{
		{o.leafIndex, "predict_leaf_index"}, {o.contributions, "predict_contrib"},
		{o.firstIteration > 0, "start_iteration_predict"}, {o.numIterations > 0, "num_iteration_predict"},
	} {
		if p.asked {
			return usagef("%s is for trees; this model is a network (%s), which gives scores alone", p.name, model.network.Ranker())
		}
	}
	return nil
}

// chooseResult sets what s computes for a row.
func (o *options) chooseResult(s *scorer, model rankingModel) error {
	if model.network != nil {
		s.features, s.width = model.network.NumFeatures(), 1
		s.compute = func(dst, rows []float64, _ int) error { return model.network.Score(dst, rows) }
		return nil
	}
	trees := model.trees
	s.features = len(trees.Features)
	switch {
	case o.leafIndex:
		s.width, s.compute = len(trees.Trees), func(dst, rows []float64, n int) error {
			leaves := make([]int32, len(dst))
			err := trees.Leaves(leaves, rows, n)
			for i, leaf := range leaves {
				dst[i] = float64(leaf)
			}
			return err
		}
	case o.contributions:
		s.width, s.compute = len(trees.Features)+1, trees.Contributions
	default:
		compiled, err := tree.Compile(trees)
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
	features := s.features
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
	rows := w.rows[:w.waiting*s.features]
	done, more := len(w.results), w.waiting*s.width
	w.results = slices.Grow(w.results, more)[:done+more]
	err := inData(s.compute(w.results[done:], rows, w.waiting), w.numbers[len(w.numbers)-w.waiting:])
	clear(rows)
	w.waiting = 0
	return err
}

// inData names the rows of the data in errors about the rows of a batch.
func inData(err error, numbers []int) error {
	var missing *nnbaseline.NaNError
	var infinite *nnbaseline.InfiniteError
	switch {
	case errors.As(err, &missing):
		missing.Row = numbers[missing.Row]
	case errors.As(err, &infinite):
		infinite.Row = numbers[infinite.Row]
	}
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
	if known := s.features - 1; largest > known {
		messages.emit(warningEvent{Message: fmt.Sprintf("the data has columns up to %d, the model knows them up to %d: the others are ignored", largest, known)})
	}
	if used := s.used; len(used) > 0 && used[len(used)-1] > largest {
		messages.emit(noteEvent{Message: fmt.Sprintf("the data has columns up to %d, the model uses column %d: absent features count as zero", largest, used[len(used)-1])})
	}
}
