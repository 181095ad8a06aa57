package booster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProfileOfATraining: a profile does not change the model. Every phase of the run has its time, and no
// time is counted twice.
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
