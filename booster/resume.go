package booster

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/training"
)

// The state of a run between two iterations is its trees, the number of the next draw, the largest lambda of
// the first iteration, the biases of positions, what the share of active rows follows (control.go), the
// multipliers of constraints (multipliers.go), and the values of the first tree before the initial score was
// added. Random draws are hashes of the number of the draw. The scores of all rows are computed again by
// adding the values of leaves in the order of the trees, as during growth, so they have the same bits. A
// checkpoint has a fingerprint of the scores to verify that. The model's text has every number of its trees
// exactly.
//
// If iterations come to depend on anything else, it must be added to the state.

// Facts implements [rounds.Resumable].
func (t *trainer) Facts() []rounds.Fact {
	return append(rounds.ParameterFacts(t.params.Table()),
		rounds.Fact{Name: "objective that was trained by", Value: t.objective.Name()},
		rounds.Fact{Name: "number of trees that training goes on from", Value: strconv.Itoa(t.before)})
}

// Breaks implements [rounds.Resumable]: an iteration cannot be interrupted and resumed.
func (t *trainer) Breaks() bool { return false }

// state is the state of a run, as JSON.
type state struct {
	Model        string        `json:"model"`  // LightGBM's text
	Scores       string        `json:"scores"` // fingerprint of the scores of all sets
	Draw         int           `json:"draw"`
	FirstLargest float64       `json:"first_largest"`
	Lowered      []float64     `json:"lowered,omitempty"`
	Biases       []float64     `json:"biases,omitempty"`
	Control      []float64     `json:"control,omitempty"` // control.fields
	Levels       []float64     `json:"levels,omitempty"`
	Multipliers  []float64     `json:"multipliers,omitempty"` // multipliers.fields
	Dropped      *droppedState `json:"dart,omitempty"`
}

// droppedState is what dart has beside the trees: scores cannot be computed again from trees that have
// changed.
type droppedState struct {
	Weights []float64   `json:"weights"`
	Scores  [][]float64 `json:"scores"` // of all sets
}

// State implements [rounds.Resumable].
func (t *trainer) State() ([]byte, error) {
	if t.dart != nil && t.train.Meta.Part.Group().Size() > 1 {
		return nil, fmt.Errorf("boosting=dart: its checkpoints have the scores of all rows, and each peer has a "+
			"part: %w; set snapshot_seconds=0 and no snapshot_freq", training.ErrNotResumable)
	}
	for i := range t.trees {
		if t.trees[i].Linear != nil {
			return nil, fmt.Errorf("tree %d has linear leaves: %w", i+1, training.ErrNotResumable)
		}
	}
	var text strings.Builder
	if err := model.Write(&text, t.Model(0)); err != nil {
		return nil, err
	}
	s := state{Model: text.String(), Scores: t.fingerprint(), Draw: t.draw, FirstLargest: t.firstLargest,
		Lowered: t.lowered, Biases: t.positions.values, Multipliers: t.multipliers.fields()}
	if t.control != nil {
		for _, field := range t.control.fields() {
			s.Control = append(s.Control, *field)
		}
		s.Levels = t.control.levels
	}
	if t.dart != nil {
		s.Dropped = &droppedState{t.dart.weights, t.allScores()}
	}
	return json.Marshal(s)
}

// Restore implements [rounds.Resumable].
func (t *trainer) Restore(from []byte, round int) error {
	var s state
	if err := json.Unmarshal(from, &s); err != nil {
		return fmt.Errorf("%w: %w", training.ErrCheckpointDamaged, err)
	}
	trained, _, err := model.Read(strings.NewReader(s.Model))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", training.ErrCheckpointDamaged, err)
	case len(trained.Trees) != round || s.Draw < t.before+round || (s.Lowered != nil) != (t.initial != 0):
		return fmt.Errorf("%w: %d trees and %d draws after iteration %d", training.ErrCheckpointDamaged,
			len(trained.Trees), s.Draw, round)
	}
	t.draw, t.firstLargest, t.lowered = s.Draw, s.FirstLargest, s.Lowered
	for number, fitted := range trained.Trees {
		if fitted.NumNodes() == 0 && round == 1 {
			t.addConstant(fitted, errConstant)
		} else if err := t.replay(fitted); err != nil {
			return fmt.Errorf("tree %d: %w", number+1, err)
		}
	}
	if err := t.positions.restore(s.Biases); err != nil {
		return err
	}
	if !t.control.restore(s.Control, s.Levels) || !t.multipliers.restore(s.Multipliers, t.objective) ||
		!t.restoreDropped(s.Dropped) || t.fingerprint() != s.Scores {
		return fmt.Errorf("%w: its trees do not give the scores that training had; remove it to begin anew",
			training.ErrCheckpointDamaged)
	}
	return nil
}

// errConstant is the reason why a run that continues from a constant model has no tree.
var errConstant = &noSplitError{reason: "the run that wrote the checkpoint found no split"}

// restoreDropped sets what dart has beside the trees, and reports whether it fits.
func (t *trainer) restoreDropped(s *droppedState) bool {
	if t.dart == nil || s == nil {
		return (t.dart == nil) == (s == nil)
	}
	all := t.allScores()
	fits := len(s.Weights) == len(t.trees) && len(s.Scores) == len(all)
	for i := 0; fits && i < len(all); i++ {
		fits = len(all[i]) == copy(all[i], s.Scores[i])
	}
	t.dart.weights = s.Weights
	return fits
}
