package reuse

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSliceKeepsMemoryThatIsLargeEnough(t *testing.T) {
	s := make([]int, 3, 8)
	for _, n := range []int{0, 1, 3, 8} {
		got := Slice(s, n)
		assert.Len(t, got, n)
		assert.Same(t, &s[0], &got[:1][0])
	}
}

func TestSliceMakesMemoryWhereThereIsTooLittle(t *testing.T) {
	s := make([]int, 3, 8)
	got := Slice(s, 9)
	assert.Len(t, got, 9)
	assert.NotSame(t, &s[0], &got[0])
	assert.Len(t, Slice([]string(nil), 2), 2)
	assert.Empty(t, Slice([]string(nil), 0))
}

func TestSliceAllocatesOnlyToGrow(t *testing.T) {
	s := make([]float64, 0, 100)
	assert.Zero(t, testing.AllocsPerRun(10, func() { s = Slice(s, 100) }))
}
