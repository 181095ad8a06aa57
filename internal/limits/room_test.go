package limits

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitMemory sets the memory limit as the runtime does at startup from the environment variable.
func limitMemory(t *testing.T, variable string, bytes int64) {
	t.Helper()
	t.Setenv("GOMEMLIMIT", variable)
	before := debug.SetMemoryLimit(bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

func TestCheck(t *testing.T) {
	limitMemory(t, "1000000000", 1e9)
	require.NoError(t, Check(9e8, "work", "do less"))
	err := Check(9e8+1, "work", "do less")
	assert.ErrorIs(t, err, ErrMemory)
	assert.EqualError(t, err, "not enough memory: work needs about 901 MB, and may use 900 MB, nine tenths "+
		"of GOMEMLIMIT: do less; the environment variable GOMEMLIMIT=off tries it all the same")
	limitMemory(t, "off", math.MaxInt64)
	assert.NoError(t, Check(math.MaxInt64/2, "work", "do less"))
}
