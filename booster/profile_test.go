package booster

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLapsAddUpToTheTimeThatPassed runs in a synctest bubble, in which time passes only by Sleep, so that
// durations are exact.
func TestLapsAddUpToTheTimeThatPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Profile
		s := newStopwatch(&p, 2)
		time.Sleep(3 * time.Second)
		s.lap(PhaseLambdas)

		// One worker spends 2 s in histogram and 1 s in split, the other 1 s in histogram. The caller waits
		// 8 s in
		// total, and 3/4 of that is attributed to histogram.
		s.begin(0)
		s.begin(1)
		time.Sleep(time.Second)
		s.workerLap(1, PhaseHistogram)
		time.Sleep(time.Second)
		s.workerLap(0, PhaseHistogram)
		time.Sleep(time.Second)
		s.workerLap(0, PhaseSplit)
		time.Sleep(5 * time.Second)
		s.lapShared()

		s.begin(0) // earlier laps must not be counted again
		time.Sleep(time.Second)
		s.workerLap(0, PhaseSplit)
		s.lapShared()
		time.Sleep(time.Second)
		s.iteration()

		assert.Equal(t, 3*time.Second, p.Times[PhaseLambdas])
		assert.Equal(t, 6*time.Second, p.Times[PhaseHistogram])
		assert.Equal(t, 3*time.Second, p.Times[PhaseSplit])
		assert.Equal(t, time.Second, p.Times[PhaseOther])
		assert.Equal(t, 13*time.Second, total(p))
		assert.Equal(t, 1, p.Iterations)
	})
}

// TestSharedLapWithoutWorkers: a shared lap in which no worker recorded time is still accounted for.
func TestSharedLapWithoutWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Profile
		s := newStopwatch(&p, 1)
		time.Sleep(time.Second)
		s.lapShared()
		assert.Equal(t, time.Second, total(p))
	})
}

// TestProfileOfATraining: a profile does not change the model. Every phase of the run has its time, and no
// time
// is counted twice.
func TestProfileOfATraining(t *testing.T) {
	p := smallParams()
	p.ActiveFraction = 0.3
	data := binned(t, &p, randomTable(1, 2000), randomTable(2, 200))
	obj, err := p.newObjective()
	require.NoError(t, err)
	plain, err := Train(t.Context(), p, data[0], data[1:], Options{Objective: obj})
	require.NoError(t, err)

	var profile Profile
	begin := time.Now()
	watched, err := Train(t.Context(), p, data[0], data[1:], Options{Objective: obj, Profile: &profile})
	passed := time.Since(begin)
	require.NoError(t, err)
	assert.Equal(t, bytesOf(plain.Model), bytesOf(watched.Model))
	assert.Equal(t, p.NumIterations, profile.Iterations)
	assert.LessOrEqual(t, total(profile), passed)
	for i, took := range profile.Times {
		if phase := Phase(i); phase == PhaseRead || phase == PhaseBin {
			assert.Zero(t, took, phase)
		} else {
			assert.Positive(t, took, phase)
		}
	}
}

// total returns the time of all phases.
func total(p Profile) (all time.Duration) {
	for _, took := range p.Times {
		all += took
	}
	return all
}
