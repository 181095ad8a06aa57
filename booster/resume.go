package booster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/checkpoint"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// The state of a run between two iterations is its trees, the number of the next draw, the largest lambda of
// the first iteration, the biases of positions, what the share of active rows follows (control.go), and the
// values of the first tree before the initial score was added. Random draws are hashes of the number of the draw. The scores of all rows are computed again by
// adding the values of leaves in the order of the trees, as during growth, so they have the same bits. A
// checkpoint has a fingerprint of the scores to verify that.
//
// If iterations come to depend on anything else, it must be added to the state.

// Facts implements [training.Resumable].
func (t *trainer) Facts() []training.Fact {
	return append(training.ParameterFacts(t.params.Table()),
		training.Fact{Name: "objective that was trained by", Value: t.objective.Name()},
		training.Fact{Name: "number of trees that training goes on from", Value: strconv.Itoa(t.before)})
}

// Breaks implements [training.Resumable]: an iteration cannot be interrupted and resumed.
func (t *trainer) Breaks() bool { return false }

// State implements [training.Resumable].
func (t *trainer) State(b []byte) ([]byte, error) {
	if t.dart != nil && t.train.Meta.Part.Group().Size() > 1 {
		return nil, fmt.Errorf("boosting=dart: its checkpoints have the scores of all rows, and each peer has a "+
			"part: %w; set snapshot_seconds=0 and no snapshot_freq", training.ErrNotResumable)
	}
	b = checkpoint.AppendSlice(b, []byte(t.fingerprint()))
	b = checkpoint.Append(b, int64(t.draw))
	b = checkpoint.Append(b, t.firstLargest)
	b = checkpoint.AppendSlice(b, t.lowered)
	b = t.appendScores(b)
	b = checkpoint.AppendSlice(b, t.positions.values)
	b = t.control.appendTo(b)
	b = checkpoint.Append(b, uint64(len(t.trees)))
	for i := range t.trees {
		if t.trees[i].Linear != nil {
			return nil, fmt.Errorf("tree %d has linear leaves: %w", i+1, training.ErrNotResumable)
		}
		b = appendTree(b, &t.trees[i])
	}
	return b, nil
}

// Restore implements [training.Resumable].
func (t *trainer) Restore(state []byte, round int) error {
	r := checkpoint.NewReader(state)
	print := string(checkpoint.ReadSlice[byte](r))
	t.draw, t.firstLargest = int(checkpoint.Read[int64](r)), checkpoint.Read[float64](r)
	t.lowered = checkpoint.ReadSlice[float64](r)
	restore := t.readScores(r)
	biases := checkpoint.ReadSlice[float64](r)
	t.control.read(r)
	n := checkpoint.Read[uint64](r)
	if n != uint64(round) || t.draw < t.before+round || (t.lowered != nil) != (t.initial != 0) {
		return fmt.Errorf("%w: %d trees and %d draws after iteration %d", training.ErrCheckpointDamaged, n, t.draw,
			round)
	}
	for number := range round {
		fitted := readTree(r)
		if r.Failed() {
			break
		}
		if fitted.NumNodes() == 0 && fitted.NumLeaves() == 1 && round == 1 {
			t.addConstant(fitted, errConstant)
			continue
		}
		if err := t.replay(fitted); err != nil {
			return fmt.Errorf("tree %d: %w", number+1, err)
		}
	}
	if err := r.Close(); err != nil {
		return fmt.Errorf("%w: %w", training.ErrCheckpointDamaged, err)
	}
	if err := t.positions.restore(biases); err != nil {
		return err
	}
	if !restore() || t.fingerprint() != print {
		return fmt.Errorf("%w: its trees do not give the scores that training had; remove it to begin anew",
			training.ErrCheckpointDamaged)
	}
	return nil
}

// errConstant is the reason why a run that continues from a constant model has no tree.
var errConstant = &NoSplitError{Reason: "the run that wrote the checkpoint found no split"}

// appendScores appends the weights of the trees and the scores of all sets if boosting is dart, because these
// scores cannot be computed again from trees that have changed. It appends nothing for other kinds of
// boosting.
func (t *trainer) appendScores(b []byte) []byte {
	if t.dart == nil {
		return b
	}
	b = checkpoint.AppendSlice(b, t.dart.weights)
	for _, scores := range append([][]float64{t.scores}, t.validated...) {
		b = checkpoint.AppendSlice(b, scores)
	}
	return b
}

// readScores reads what appendScores appended, and returns a function that sets it and reports whether it
// fits. The function is called after the trees were restored.
func (t *trainer) readScores(r *checkpoint.Reader) (restore func() bool) {
	if t.dart == nil {
		return func() bool { return true }
	}
	weights, read := checkpoint.ReadSlice[float64](r), [][]float64{}
	for range 1 + len(t.validated) {
		read = append(read, checkpoint.ReadSlice[float64](r))
	}
	return func() bool {
		fits := len(weights) == len(t.trees)
		for i, scores := range append([][]float64{t.scores}, t.validated...) {
			fits = fits && len(scores) == copy(scores, read[i])
		}
		t.dart.weights = weights
		return fits
	}
}

// fingerprint identifies the scores of all sets, of all peers.
func (t *trainer) fingerprint() string {
	all := append([][]float64{t.scores}, t.validated...)
	var first []int
	for _, d := range append([]Data{t.train}, t.valid...) {
		row, _ := d.Meta.Part.First()
		first = append(first, row)
	}
	text := ""
	for i, scores := range all {
		text += t.sumOfScores(first[i], scores).String()
	}
	return text
}

// sumOfScores returns the fingerprint of scores of all peers; first is the number of row 0 among them.
func (t *trainer) sumOfScores(first int, scores []float64) fingerprint.Sum {
	all := fingerprint.SumOf(t.pool, len(scores), scoreBlock, func(s *fingerprint.Sum, from, to int) {
		s.Float64s(first+from, scores[from:to])
	})
	words := []int64{int64(all[0]), int64(all[1])}
	t.train.Meta.Part.Group().Sum(words)
	return fingerprint.Sum{uint64(words[0]), uint64(words[1])}
}

// replay adds a finished tree to the run, as if it had just been grown.
func (t *trainer) replay(fitted tree.Tree) error {
	if err := t.grower.load(&fitted, len(t.train.Meta.Features)); err != nil {
		return fmt.Errorf("%w: %w", training.ErrCheckpointDamaged, err)
	}
	values := fitted.LeafValue
	if len(t.trees) == 0 && t.lowered != nil {
		if values = t.lowered; len(values) != len(fitted.LeafValue) {
			return fmt.Errorf("%w: %d values of %d leaves", training.ErrCheckpointDamaged, len(values),
				len(fitted.LeafValue))
		}
	}
	g := &t.grower
	t.leafOf = reuse.Slice(t.leafOf, len(t.scores))
	g.findLeaves(t.leafOf, t.train.Values)
	g.addValues(t.scores, t.leafOf, values)
	t.addToValidation(t.validated, values)
	t.trees = append(t.trees, fitted)
	return nil
}

// load copies the nodes of a finished tree of a model with this many features to t. It returns an error if
// the bins do not have the tree's thresholds.
func (t *binTree) load(fitted *tree.Tree, features int) error {
	if err := fitted.Validate(features); err != nil {
		return err
	}
	t.nodes = t.nodes[:0]
	for i, feature := range fitted.Feature {
		column := t.matrix.ColumnOf[feature]
		if column < 0 {
			return fmt.Errorf("feature %d does not vary", feature)
		}
		n := node{left: fitted.Left[i], right: fitted.Right[i]}
		n.column = column
		if err := n.load(fitted, i, t.matrix.Bins(column)); err != nil {
			return fmt.Errorf("no bin of feature %d %w", feature, err)
		}
		if n.decision(t.matrix) != fitted.Decision[i] {
			return fmt.Errorf("a split of feature %d that cannot be", feature)
		}
		t.nodes = append(t.nodes, n)
	}
	return nil
}

// load sets n to the split of node i of a finished tree.
func (n *node) load(fitted *tree.Tree, i int, bins *histogram.FeatureBins) (err error) {
	if categorical := fitted.Decision[i]&tree.Categorical != 0; categorical != bins.IsCategorical() {
		return errors.New("stands for what the split compares: one is of categories, and the other of numbers")
	}
	if bins.IsCategorical() {
		n.sides, err = sidesOfSet(fitted, i, bins)
		return err
	}
	bin, found := slices.BinarySearch(bins.UpperBounds, fitted.Threshold[i])
	if !found {
		return fmt.Errorf("ends at %v", fitted.Threshold[i])
	}
	n.bin, n.missingRight = uint16(bin), fitted.Decision[i]&tree.DefaultLeft == 0
	return nil
}

// appendTree appends a tree without linear leaves.
func appendTree(b []byte, t *tree.Tree) []byte {
	b = checkpoint.AppendSlice(b, t.Feature)
	b = checkpoint.AppendSlice(b, t.Threshold)
	b = checkpoint.AppendSlice(b, t.Decision)
	b = checkpoint.AppendSlice(b, t.Gain)
	b = checkpoint.AppendSlice(b, t.Left)
	b = checkpoint.AppendSlice(b, t.Right)
	b = checkpoint.AppendSlice(b, t.InternalValue)
	b = checkpoint.AppendSlice(b, t.InternalWeight)
	b = checkpoint.AppendSlice(b, t.InternalCount)
	b = checkpoint.AppendSlice(b, t.LeafValue)
	b = checkpoint.AppendSlice(b, t.LeafWeight)
	b = checkpoint.AppendSlice(b, t.LeafCount)
	b = checkpoint.AppendSlice(b, t.CategoryStart)
	b = checkpoint.AppendSlice(b, t.Categories)
	return checkpoint.Append(b, t.Shrinkage)
}

// readTree reads what appendTree appended.
func readTree(r *checkpoint.Reader) tree.Tree {
	return tree.Tree{
		Feature:        checkpoint.ReadSlice[int32](r),
		Threshold:      checkpoint.ReadSlice[float64](r),
		Decision:       checkpoint.ReadSlice[tree.Decision](r),
		Gain:           checkpoint.ReadSlice[float64](r),
		Left:           checkpoint.ReadSlice[int32](r),
		Right:          checkpoint.ReadSlice[int32](r),
		InternalValue:  checkpoint.ReadSlice[float64](r),
		InternalWeight: checkpoint.ReadSlice[float64](r),
		InternalCount:  checkpoint.ReadSlice[int64](r),
		LeafValue:      checkpoint.ReadSlice[float64](r),
		LeafWeight:     checkpoint.ReadSlice[float64](r),
		LeafCount:      checkpoint.ReadSlice[int64](r),
		CategoryStart:  checkpoint.ReadSlice[int32](r),
		Categories:     checkpoint.ReadSlice[uint32](r),
		Shrinkage:      checkpoint.Read[float64](r),
	}
}
