package rounds

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// counter is a learner whose model is its number of rounds. Its score of the good document is that number
// modulo 3.
type counter struct{ rounds int }

func (c *counter) Scores() ([][]float64, error) {
	return [][]float64{{float64(
		c.rounds % 3), 1}}, nil
}
func (c *counter) See(int, float64, bool) {}
func (c *counter) Model(round int) int    { return c.rounds }
func (c *counter) Facts() []Fact          { return nil }
func (c *counter) Breaks() bool           { return false }
func (c *counter) KeepsRounds() bool      { return false }
func (c *counter) State() ([]byte, error) { return json.Marshal(c.rounds) }

func (c *counter) Restore(state []byte, round int) error { return json.Unmarshal(state, &c.rounds) }

// marked are values with a fingerprint.
type marked int

func (m marked) NumRows() int { return 2 }

func (m marked) Fingerprint(int, int) (numbers, text string, sums [2]uint64) {
	return "", strconv.Itoa(int(m)), sums
}

// count runs the given number of rounds, with checkpoints.
func count(t *testing.T, rounds int, c *training.Checkpoints) (*training.Result[int], error) {
	t.Helper()
	r, err := counting(t, rounds, c)
	if err == nil {
		err = Loop(t.Context(), r.Rounds(), r.Step, nil)
	}
	if err != nil {
		return nil, err
	}
	return r.Result(), nil
}

// countingRun is a run of a counter.
type countingRun struct {
	*Run[int]
	counter counter
}

func (r *countingRun) Step(ctx context.Context) (round training.Round, err error) {
	defer r.Guard(&round, &err)
	if err = r.Begin(ctx, &round); err == nil {
		r.counter.rounds++
		err = r.Finish(&round, "", nil)
	}
	return round, err
}

// counting returns a run of this many rounds.
func counting(t *testing.T, rounds int, c *training.Checkpoints) (r *countingRun, err error) {
	t.Helper()
	p := training.DefaultParams()
	meta := &dataset.Meta{Queries: []dataset.Query{{ID: "q", Len: 2}}, Labels: []float64{1, 0}}
	d := training.Data[marked]{Name: "valid", Meta: meta, Values: 1}
	metrics, err := Metrics(&p, metric.Exp2())
	require.NoError(t, err)
	e, err := NewEvaluator(&p, rounds, d, []training.Data[marked]{d}, metrics)
	require.NoError(t, err)
	r = &countingRun{}
	r.Run, err = New(e, &r.counter, training.Options{Checkpoints: c})
	return r, err
}

// TestAFailingDiskDoesNotEndTraining: if Event is set, training reports a failed checkpoint to it and
// continues; otherwise it ends with the error.
func TestAFailingDiskDoesNotEndTraining(t *testing.T) {
	folder := t.TempDir()
	var events []training.CheckpointEvent
	c := &training.Checkpoints{Path: filepath.Join(folder, "c"), Rounds: 2}
	c.Event = func(e training.CheckpointEvent) {
		events = append(events, e)
		if e.Round == 2 {
			require.NoError(t, os.Chmod(e.Path, 0o444))
		}
		if e.Round == 6 {
			require.NoError(t, os.Chmod(e.Path, 0o644))
		}
	}
	r, err := count(t, 10, c)
	require.NoError(t, err)
	assert.Equal(t, 10, r.Model)
	require.Len(t, events, 4)
	for i, kind := range []string{training.Written, training.Unwritten, training.Unwritten, training.Written} {
		assert.Equal(t, kind, events[i].Kind)
		assert.Equal(t, kind == training.Unwritten, events[i].Err != nil)
	}
	assert.Equal(t, []string{c.Path}, c.Files())
	require.NoError(t, c.Remove())
	assert.Empty(t, c.Files())

	require.NoError(t, os.WriteFile(c.Path, nil, 0o444))
	c.Event = nil
	_, err = count(t, 10, c)
	assert.ErrorContains(t, err, "read-only")
	for _, bad := range []*training.Checkpoints{{}, {Path: folder}, {Path: filepath.Join(folder, "no", "c")},
		{Path: c.Path, Resume: "yes"}} {
		_, err = count(t, 10, bad)
		assert.Error(t, err)
	}
}

// TestInterval: with checkpoints by time, the number of rounds does not matter.
func TestInterval(t *testing.T) {
	n := 0
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Interval: time.Nanosecond,
		Event: func(training.CheckpointEvent) { n++ }}
	_, err := count(t, 5, c)
	require.NoError(t, err)
	assert.Equal(t, 4, n, "the last round has none")
	c.Interval = time.Hour
	_, err = count(t, 5, c)
	require.NoError(t, err)
	assert.Equal(t, 4, n)
}

// TestNoCheckpointOfWhatIsNotStepped: a run that its owner abandons, as an ensemble does when another model
// fails, writes no checkpoint. An interrupted run does.
func TestNoCheckpointOfWhatIsNotStepped(t *testing.T) {
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Interval: time.Hour}
	r, err := counting(t, 5, c)
	require.NoError(t, err)
	_, err = r.Step(t.Context())
	require.NoError(t, err)
	assert.Empty(t, c.Files())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		_, err = r.Step(ctx)
		assert.Equal(t, io.EOF, err)
	}
	assert.Equal(t, training.Canceled, r.Result().Stopped)
	assert.Equal(t, []string{c.Path}, c.Files())
}

// TestSaveAndRestore: a run continues from what Save wrote, to a buffer or to a checkpoint file.
func TestSaveAndRestore(t *testing.T) {
	before, err := counting(t, 5, nil)
	require.NoError(t, err)
	require.Error(t, before.Save(io.Discard), "no round is done")
	for range 3 {
		_, err = before.Step(t.Context())
		require.NoError(t, err)
	}
	var saved bytes.Buffer
	require.NoError(t, before.Save(&saved))
	after, err := counting(t, 5, nil)
	require.NoError(t, err)
	require.NoError(t, after.Restore(bytes.NewReader(saved.Bytes())))
	assert.Equal(t, 3, len(after.Rounds()))
	assert.Len(t, after.Rounds(), 3)
	assert.Error(t, after.Restore(bytes.NewReader(saved.Bytes())), "twice")
	require.NoError(t, Loop(t.Context(), before.Rounds(), before.Step, nil))
	require.NoError(t, Loop(t.Context(), after.Rounds(), after.Step, nil))
	assert.Equal(t, before.Result(), after.Result())

	other, err := counting(t, 2, nil)
	require.NoError(t, err)
	assert.ErrorIs(t, other.Restore(bytes.NewReader(saved.Bytes())), training.ErrCheckpointDamaged,
		"more rounds than there are")
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Resume: training.Required}
	require.NoError(t, os.WriteFile(c.Path, saved.Bytes(), 0o600))
	file, err := counting(t, 5, c)
	require.NoError(t, err)
	assert.Equal(t, 3, len(file.Rounds()))
}

// TestRemoveWhatWasLeft: killed runs of parts leave incomplete checkpoints, and resumed ones may write none.
func TestRemoveWhatWasLeft(t *testing.T) {
	folder := t.TempDir()
	c := &training.Checkpoints{Path: filepath.Join(folder, "c")}
	for _, name := range []string{"c", ".c.0.tmp", "c.model2", ".c.model2.0.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o666))
	}
	other := filepath.Join(folder, "c.model02") // of another program
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	require.NoError(t, c.Remove())
	require.NoError(t, os.Remove(other))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestANewTrainingReplacesCheckpoints: a new run replaces the checkpoint of an earlier one, and continues
// from its own.
func TestANewTrainingReplacesCheckpoints(t *testing.T) {
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 2}
	_, err := count(t, 10, c)
	require.NoError(t, err)
	c.Rounds = 9
	_, err = count(t, 10, c)
	require.NoError(t, err)
	assert.Equal(t, []string{c.Path}, c.Files())
	c.Resume = training.Required
	r, err := count(t, 10, c)
	require.NoError(t, err)
	assert.Equal(t, 10, r.Model)
	_, err = count(t, 12, c)
	assert.NoError(t, err, "the number of rounds is a fact of the learner's")
	_, err = count(t, 8, c)
	assert.ErrorIs(t, err, training.ErrCheckpointDamaged, "more rounds than there are")
}

// TestResumeIfPresent: without a checkpoint, a run begins with round 1, and says so.
func TestResumeIfPresent(t *testing.T) {
	var kinds []string
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 3, Resume: training.IfPresent,
		Event: func(e training.CheckpointEvent) { kinds = append(kinds, e.Kind) }}
	for _, restored := range []int{0, 3} {
		r, err := counting(t, 5, c)
		require.NoError(t, err)
		assert.Len(t, r.Rounds(), restored)
		require.NoError(t, Loop(t.Context(), r.Rounds(), r.Step, nil))
	}
	assert.Equal(t, []string{training.Absent, training.Written, training.Resumed}, kinds)
}

// unreadable reports whether an error is about the bytes of a checkpoint.
func unreadable(err error) bool {
	return errors.Is(err, training.ErrCheckpointDamaged) || errors.Is(err, training.ErrCheckpointVersion)
}

// TestEveryChangedByteIsFound: also one of the version, which is another error.
func TestEveryChangedByteIsFound(t *testing.T) {
	s := snapshot{checkpointHeader{Round: 1, BestValue: exactFloat(math.Inf(-1)),
		Rounds: []record{{Loss: exactFloat(math.NaN())}}}, []byte(`"state"`)}
	b, err := s.encode()
	require.NoError(t, err)
	back, err := decodeSnapshot(b)
	require.NoError(t, err)
	assert.Equal(t, `"state"`, string(back.State))
	assert.True(t, math.IsInf(float64(back.BestValue), -1))
	assert.True(t, math.IsNaN(float64(back.Rounds[0].Loss)))
	for i := range b {
		b[i] ^= 0x40
		_, err := decodeSnapshot(b)
		assert.True(t, unreadable(err), i)
		b[i] ^= 0x40
		_, err = decodeSnapshot(b[:i])
		assert.Error(t, err, i)
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 0x1p-1074, math.MaxFloat64, 0.1, -1.0 / 3} {
		text, err := json.Marshal(exactFloat(x))
		require.NoError(t, err)
		var y exactFloat
		require.NoError(t, json.Unmarshal(text, &y))
		assert.Equal(t, math.Float64bits(x), math.Float64bits(float64(y)))
	}
}

// FuzzDecodeSnapshot: any bytes, with a correct checksum or not, either are a checkpoint or give an error
// of a known kind. A checkpoint is unchanged after it is written and read back.
func FuzzDecodeSnapshot(f *testing.F) {
	s := &snapshot{checkpointHeader{
		Round: 2, Best: 1, BestValue: exactFloat(math.Inf(-1)), Facts: []Fact{{"threads", "2"}},
		Rounds: []record{{Means: []exactFloat{0.5}, Tied: []int{0}}, {Seconds: exactFloat(math.NaN())}},
	}, []byte(`"state"`)}
	b, err := s.encode()
	require.NoError(f, err)
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		var file checkpointFile
		_ = json.Unmarshal(data, &file)
		summed := fmt.Appendf(nil, `{"format":%d,"sha256":"%x","content":%s}`, checkpointFormat,
			sha256.Sum256(file.Content), file.Content)
		for _, b := range [][]byte{data, summed} {
			s, err := decodeSnapshot(b)
			if err != nil {
				require.True(t, unreadable(err), "%v", err)
				continue
			}
			again, err := s.encode()
			require.NoError(t, err)
			back, err := decodeSnapshot(again)
			require.NoError(t, err)
			twice, err := back.encode()
			require.NoError(t, err)
			require.Equal(t, again, twice)
		}
	})
}
