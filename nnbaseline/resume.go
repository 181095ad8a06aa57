package nnbaseline

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/training"
)

// The state of a training run between two epochs is the weights with the running values, the kept weights
// with theirs, the optimizer's means, and the state of the schedule. Random draws are hashes of the number of
// the step, the inputs are computed from the data, and the order of the queries is shuffled again.

// Facts implements [rounds.Resumable].
func (t *trainer) Facts() []rounds.Fact { return rounds.ParameterFacts(t.params.Table()) }

// Breaks implements [rounds.Resumable]: a training run that is canceled ends within an epoch.
func (t *trainer) Breaks() bool { return true }

// state is the state of a training run, as JSON. Slices have the bytes of float32 values, little-endian.
type state struct {
	Steps       int     `json:"steps"`
	Weights     []byte  `json:"weights"`
	Running     []byte  `json:"running"`
	Mean        []byte  `json:"mean"`
	Square      []byte  `json:"square"`
	Kept1       float64 `json:"beta1"` // power of it
	Kept2       float64 `json:"beta2"`
	Falls       int     `json:"falls"`
	Since       int     `json:"since"`
	Highest     uint64  `json:"highest"`      // bits of a float64, which may be infinite
	KeptWeights []byte  `json:"kept_weights"` // not empty: at least the first epoch was kept
	KeptRunning []byte  `json:"kept_running"`
}

// State implements [rounds.Resumable].
func (t *trainer) State() ([]byte, error) {
	o, s := t.optimizer, t.schedule
	return json.Marshal(state{
		Steps: t.steps, Weights: encodeFloats(t.network.weights), Running: encodeFloats(t.network.running),
		Mean: encodeFloats(o.mean), Square: encodeFloats(o.square), Kept1: o.kept1, Kept2: o.kept2,
		Falls: s.falls, Since: s.since, Highest: math.Float64bits(s.highest),
		KeptWeights: encodeFloats(t.kept.weights), KeptRunning: encodeFloats(t.kept.running),
	})
}

// Restore implements [rounds.Resumable].
func (t *trainer) Restore(from []byte, epoch int) error {
	var s state
	err := json.Unmarshal(from, &s)
	o := t.optimizer
	t.steps, o.kept1, o.kept2 = s.Steps, s.Kept1, s.Kept2
	t.schedule.falls, t.schedule.since, t.schedule.highest = s.Falls, s.Since, math.Float64frombits(s.Highest)
	t.keep()
	fits := fill32(t.network.weights, s.Weights) && fill32(t.network.running, s.Running) &&
		fill32(o.mean, s.Mean) && fill32(o.square, s.Square) &&
		fill32(t.kept.weights, s.KeptWeights) && fill32(t.kept.running, s.KeptRunning)
	perEpoch := (len(t.queries) + t.params.BatchQueries - 1) / t.params.BatchQueries
	if err != nil || !fits || t.steps != epoch*perEpoch || !t.network.finite() || !t.kept.finite() {
		return fmt.Errorf("%w: it does not fit the network", training.ErrCheckpointDamaged)
	}
	for done := range epoch {
		t.shuffle(done + 1)
	}
	return nil
}

// encodeFloats returns the bytes of values, which decodeFloats reads.
func encodeFloats(values []float32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, values) // fails for other types only
	return b
}

// fill32 sets dst to the values that bytes hold, and reports whether they are as many.
func fill32(dst []float32, b []byte) bool {
	n, err := binary.Decode(b, binary.LittleEndian, dst)
	return err == nil && n == len(b)
}
