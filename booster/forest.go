package booster

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// forest is the trees of a run, and the scores that they give all rows.
type forest struct {
	train  Data // without bins, if leaf values are only refitted
	valid  []Data
	pool   *par.Pool
	grower *grow.Grower // sends rows down trees

	trees []tree.Tree
	// score of all rows before the first tree, in addition to initial scores of the data; part of the first tree
	initial     float64
	lowered     []float64   // leaf values of the first tree without initial; nil if initial is 0
	scores      []float64   // of the training rows
	validated   [][]float64 // scores of each validation set
	leafOf      []int32     // by row: its leaf in the latest tree
	validLeafOf []int32     // leafOf for one validation set
}

// begin sets the scores before the first tree.
func (f *forest) begin(valid []Data, initial float64) {
	f.valid, f.initial = valid, initial
	f.scores = initialScores(f.train.Meta, initial)
	for _, v := range valid {
		f.validated = append(f.validated, initialScores(v.Meta, initial))
	}
}

// addToTraining adds the values of the leaves of the grower's tree to the scores of the training rows. number
// has the number of each leaf of leafOf; a negative one is that of a leaf without rows.
func (f *forest) addToTraining(values []float64, number []int32) {
	byOld := make([]float64, len(number))
	for old, leaf := range number {
		if leaf >= 0 {
			byOld[old] = values[leaf]
		}
	}
	addValues(f.pool, f.scores, f.leafOf, byOld)
}

// append appends a grown tree. The first one gets the initial score.
func (f *forest) append(t tree.Tree) {
	if len(f.trees) == 0 && f.initial != 0 {
		f.lowered = slices.Clone(t.LeafValue)
		raise(&t, f.initial)
	}
	f.trees = append(f.trees, t)
}

// ownValues returns the leaf values of a tree without the initial score.
func (f *forest) ownValues(n int) []float64 {
	if n == 0 && f.lowered != nil {
		return f.lowered
	}
	return f.trees[n].LeafValue
}

// scaleTree multiplies the values of a tree by a factor.
func (f *forest) scaleTree(n int, factor float64) {
	scaled := &f.trees[n]
	values, internal := slices.Clone(f.ownValues(n)), slices.Clone(scaled.InternalValue)
	offset := 0.0
	if n == 0 {
		offset = f.initial
	}
	for i := range values {
		values[i] = float64(values[i] * factor)
	}
	for i := range internal {
		internal[i] = float64((internal[i]-offset)*factor) + offset
	}
	scaled.LeafValue, scaled.InternalValue = values, internal
	if n == 0 && f.lowered != nil {
		f.lowered, scaled.LeafValue = values, slices.Clone(values)
		for i := range scaled.LeafValue {
			scaled.LeafValue[i] += offset
		}
		return
	}
	scaled.Shrinkage = float64(scaled.Shrinkage * factor)
}

// allScores returns the scores of the training data and of all validation sets.
func (f *forest) allScores() [][]float64 { return append([][]float64{f.scores}, f.validated...) }

// fingerprint identifies the scores of all sets, of all peers.
func (f *forest) fingerprint() string {
	text, all := "", f.allScores()
	for i, d := range append([]Data{f.train}, f.valid...) {
		first, _ := d.Meta.Part.First() // number of row 0 among the rows of all peers
		sum := fingerprint.SumOf(f.pool, len(all[i]), scoreBlock, func(s *fingerprint.Sum, from, to int) {
			s.Float64s(first+from, all[i][from:to])
		})
		words := []int64{int64(sum[0]), int64(sum[1])}
		f.train.Meta.Part.Group().Sum(words)
		text += fingerprint.Sum{uint64(words[0]), uint64(words[1])}.String()
	}
	return text
}

// replay adds a finished tree to the run, as if it had just been grown.
func (f *forest) replay(fitted tree.Tree) error {
	values := fitted.LeafValue
	if len(f.trees) == 0 && f.lowered != nil {
		if values = f.lowered; len(values) != len(fitted.LeafValue) {
			return fmt.Errorf("%w: %d values of %d leaves", training.ErrCheckpointDamaged, len(values),
				len(fitted.LeafValue))
		}
	}
	if err := f.addValuesOf(&fitted, values, f.scores, f.validated); err != nil {
		return fmt.Errorf("%w: %w", training.ErrCheckpointDamaged, err)
	}
	f.trees = append(f.trees, fitted)
	return nil
}

// addValuesOf adds values of the leaves of a finished tree to those of all rows, of the training data and of
// the validation sets.
func (f *forest) addValuesOf(fitted *tree.Tree, values, rows []float64, valid [][]float64) error {
	if err := f.grower.Load(fitted, len(f.train.Meta.Features)); err != nil {
		return err
	}
	f.leafOf = reuse.Slice(f.leafOf, len(rows))
	f.grower.FindLeaves(f.leafOf, f.train.Values)
	addValues(f.pool, rows, f.leafOf, values)
	f.addToValidation(valid, values)
	return nil
}

// addToValidation adds the values of the leaves of the grower's tree to the scores of all validation sets.
func (f *forest) addToValidation(scores [][]float64, values []float64) {
	for i, v := range f.valid {
		f.validLeafOf = reuse.Slice(f.validLeafOf, len(scores[i]))
		f.grower.FindLeaves(f.validLeafOf, v.Values)
		addValues(f.pool, scores[i], f.validLeafOf, values)
	}
}

// initialScores returns the scores of rows before the first tree: the initial scores of the data, if it has
// any, plus initial.
func initialScores(data *dataset.Meta, initial float64) []float64 {
	scores := make([]float64, data.NumRows())
	copy(scores, data.InitialScores)
	for row := range scores {
		scores[row] += initial
	}
	return scores
}

// raise adds a constant to all values of a tree. As in LightGBM, the shrinkage becomes 1, because the values
// are no longer multiples of the learning rate.
func raise(t *tree.Tree, by float64) {
	for i := range t.LeafValue {
		t.LeafValue[i] += by
	}
	for i := range t.InternalValue {
		t.InternalValue[i] += by
	}
	t.Shrinkage = 1
}

// Scores writes the score of each binned row to dst. They are the scores that the model gives the values of
// the rows. The model must have been trained on data with the same bins: it is an error if one of its
// thresholds is not a bound of a bin. Linear leaves, which need values, are an error too. The result does not
// depend on the number of workers (one for each processor if below 1).
func Scores(dst []float64, e *tree.Ensemble, data *Bins, workers int) error {
	if len(dst) != data.NumRows() {
		return fmt.Errorf("%d scores for %d rows", len(dst), data.NumRows())
	}
	pool := par.New(workers)
	defer pool.Close()
	walker, features := grow.NewTree(data, pool), len(e.FeatureNames())
	leafOf := make([]int32, len(dst))
	clear(dst)
	for i := range e.Trees {
		if e.Trees[i].Linear != nil {
			return fmt.Errorf("tree %d has linear leaves, which binned rows cannot be scored by", i+1)
		}
		if err := walker.Load(&e.Trees[i], features); err != nil {
			return fmt.Errorf("tree %d is of other bins: %w", i+1, err)
		}
		if clear(leafOf); e.Trees[i].NumNodes() > 0 {
			walker.FindLeaves(leafOf, data)
		}
		addValues(pool, dst, leafOf, e.Trees[i].LeafValue)
	}
	if e.Average && len(e.Trees) > 0 {
		for row := range dst {
			dst[row] /= float64(len(e.Trees))
		}
	}
	return nil
}

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// addValues adds the value of each row's leaf to its score.
func addValues(pool *par.Pool, scores []float64, leafOf []int32, values []float64) {
	pool.Blocks(len(scores), min(scoreBlock, grow.BlockOf(len(scores))), func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += values[leafOf[row]]
		}
	})
}
