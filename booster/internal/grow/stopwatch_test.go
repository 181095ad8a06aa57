package grow

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestLapsAddUpToTheTimeThatPassed runs in a synctest bubble, in which time passes only by Sleep, so that
// durations are exact.
func TestLapsAddUpToTheTimeThatPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lambdas, histogram, split, other, phases = 0, 1, 2, 3, 4
		times := make([]time.Duration, phases)
		s := NewStopwatch(times, 2)
		time.Sleep(3 * time.Second)
		s.Lap(lambdas)

		// One worker spends 2 s in histogram and 1 s in split, the other 1 s in histogram. The caller waits 8 s in
		// all, and 3/4 of that is attributed to histogram.
		s.begin(0)
		s.begin(1)
		time.Sleep(time.Second)
		s.workerLap(1, histogram)
		time.Sleep(time.Second)
		s.workerLap(0, histogram)
		time.Sleep(time.Second)
		s.workerLap(0, split)
		time.Sleep(5 * time.Second)
		s.lapShared(other)

		s.begin(0) // earlier laps must not be counted again
		time.Sleep(time.Second)
		s.workerLap(0, split)
		s.lapShared(other)
		time.Sleep(time.Second)
		s.Lap(other)

		assert.Equal(t, 3*time.Second, times[lambdas])
		assert.Equal(t, 6*time.Second, times[histogram])
		assert.Equal(t, 3*time.Second, times[split])
		assert.Equal(t, time.Second, times[other])
		assert.Equal(t, 13*time.Second, totalOf(times))
	})
}

// TestSharedLapWithoutWorkers: a shared lap in which no worker recorded time is still accounted for.
func TestSharedLapWithoutWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := make([]time.Duration, 1)
		s := NewStopwatch(times, 1)
		time.Sleep(time.Second)
		s.lapShared(0)
		assert.Equal(t, time.Second, totalOf(times))
	})
}

func totalOf(times []time.Duration) (sum time.Duration) {
	for _, took := range times {
		sum += took
	}
	return sum
}
