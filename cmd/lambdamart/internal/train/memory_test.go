package train

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFreeMemoryIsGivenBack: after the rounds 1, 2, 4 and 8 of a large run, the system has the memory that is
// not used any more. Other rounds, and all of smaller runs, ask for no collection.
func TestFreeMemoryIsGivenBack(t *testing.T) {
	const large, left = 64 << 20, 32 << 20
	for round := 1; round < 10; round++ {
		leave(left)
		before := statistics().NumForcedGC
		giveBack(large-1, round)
		assert.Equal(t, before, statistics().NumForcedGC, "round %d of a small run", round)
		giveBack(large, round)
		if !slices.Contains([]int{1, 2, 4, 8}, round) {
			assert.Equal(t, before, statistics().NumForcedGC, "round %d", round)
			continue
		}
		s := statistics()
		assert.Less(t, s.HeapSys-s.HeapReleased, uint64(left/2), "round %d", round)
	}
}

// leave uses memory, and leaves it as garbage.
func leave(bytes int) {
	garbage := make([]byte, bytes)
	for i := range garbage {
		garbage[i] = 1
	}
	runtime.KeepAlive(garbage)
}

// statistics returns what the runtime says of its memory.
func statistics() (s runtime.MemStats) {
	runtime.ReadMemStats(&s)
	return s
}
