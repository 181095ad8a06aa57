package random

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSplitMix64 compares mix with the output of S. Vigna's reference implementation of SplitMix64 for the
// seed 1234567.
func TestSplitMix64(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		state += golden
		assert.Equal(t, want, mix(state))
	}
}

func TestFloat64IsUniform(t *testing.T) {
	const n = 1 << 16
	for purpose := BinSample; purpose <= RoundGradient; purpose++ {
		for round := range 3 {
			k := New(7, purpose, round)
			var sum, square float64
			for i := range n {
				u := k.Float64(i)
				assert.True(t, u >= 0 && u < 1)
				sum += u
				square += u * u
			}
			// The tolerance is five standard errors; they are sqrt(1/12/n) and sqrt(4/45/n).
			assert.InDelta(t, 0.5, sum/n, 5*math.Sqrt(1.0/12/n))
			assert.InDelta(t, 1.0/3, square/n, 5*math.Sqrt(4.0/45/n))
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(5) {
		for purpose := range Purpose(5) {
			for round := range 5 {
				for index := range 5 {
					v := New(seed, purpose, round).Uint64(index)
					assert.False(t, seen[v])
					seen[v] = true
				}
			}
		}
	}
}

// TestKeysOfKeysDiffer: keys derived from one parent draw different numbers from
// each other and from the parent.
func TestKeysOfKeysDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	add := func(k Key) {
		for index := range 10 {
			v := k.Uint64(index)
			assert.False(t, seen[v])
			seen[v] = true
		}
	}
	k := New(1, Objective, 2)
	add(k)
	for a := range 10 {
		add(k.Key(a))
		for b := range 10 {
			add(k.Key(a).Key(b))
		}
	}
}

func TestFromMovesTheIndexes(t *testing.T) {
	k := New(1, RoundGradient, 2)
	for _, from := range []int{0, 1, 1 << 40} {
		for i := range 5 {
			assert.Equal(t, k.Uint64(from+i), k.From(from).Uint64(i))
		}
	}
}
