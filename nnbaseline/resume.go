package nnbaseline

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/checkpoint"
	"github.com/lambdamart/lambdamart/training"
)

// The state of a training run between two epochs is the weights with the running values, the kept weights
// with theirs, the optimizer's means, and the state of the schedule. Random draws are hashes of the number of
// the step, the inputs are computed from the data, and the order of the queries is shuffled again.

// Facts implements [training.Resumable].
func (t *trainer) Facts() []training.Fact { return training.ParameterFacts(t.params.Table()) }

// Breaks implements [training.Resumable]: a training run that is canceled ends within an epoch.
func (t *trainer) Breaks() bool { return true }

// State implements [training.Resumable].
func (t *trainer) State(b []byte) ([]byte, error) {
	o, s := t.optimizer, t.schedule
	b = checkpoint.Append(b, int64(t.steps))
	b = checkpoint.AppendSlice(b, t.network.weights)
	b = checkpoint.AppendSlice(b, t.network.running)
	b = checkpoint.AppendSlice(b, o.mean)
	b = checkpoint.AppendSlice(b, o.square)
	b = checkpoint.Append(checkpoint.Append(b, o.kept1), o.kept2)
	b = checkpoint.Append(checkpoint.Append(b, int64(s.falls)), int64(s.since))
	b = checkpoint.Append(b, s.highest)
	b = checkpoint.AppendSlice(b, t.kept.weights) // not nil: at least the first epoch was kept
	return checkpoint.AppendSlice(b, t.kept.running), nil
}

// Restore implements [training.Resumable].
func (t *trainer) Restore(state []byte, epoch int) error {
	o, s, r := t.optimizer, t.schedule, checkpoint.NewReader(state)
	t.steps = int(checkpoint.Read[int64](r))
	fits := fill32(t.network.weights, r) && fill32(t.network.running, r) && fill32(o.mean, r) &&
		fill32(o.square, r)
	o.kept1, o.kept2 = checkpoint.Read[float64](r), checkpoint.Read[float64](r)
	s.falls, s.since = int(checkpoint.Read[int64](r)), int(checkpoint.Read[int64](r))
	s.highest = checkpoint.Read[float64](r)
	t.keep()
	fits = fits && fill32(t.kept.weights, r) && fill32(t.kept.running, r)
	perEpoch := (len(t.queries) + t.params.BatchQueries - 1) / t.params.BatchQueries
	if err := r.Close(); err != nil || !fits || t.steps != epoch*perEpoch || !t.network.finite() ||
		!t.kept.finite() {
		return fmt.Errorf("%w: it does not fit the network", training.ErrCheckpointDamaged)
	}
	for done := range epoch {
		t.shuffle(done + 1)
	}
	return nil
}

// fill32 reads a slice of the length of dst into dst, and reports whether it had that length.
func fill32(dst []float32, r *checkpoint.Reader) bool {
	return copy(dst, checkpoint.ReadSlice[float32](r)) == len(dst) && !r.Failed()
}
