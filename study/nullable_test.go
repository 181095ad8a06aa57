package study

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNullable: values are read back bit for bit.
func TestNullable(t *testing.T) {
	for text, values := range map[string]nullable{"[]": {}, "[null]": {math.NaN()}, "[0.1,null,-0,1e-7]": {0.1, math.NaN(), math.Copysign(0, -1), 1e-7}} {
		written, err := json.Marshal(values)
		require.NoError(t, err)
		assert.Equal(t, text, string(written))
		var read nullable
		require.NoError(t, json.Unmarshal(written, &read))
		require.Len(t, read, len(values))
		for i := range values {
			assert.Equal(t, math.IsNaN(values[i]), math.IsNaN(read[i]))
			assert.True(t, math.IsNaN(values[i]) || math.Float64bits(values[i]) == math.Float64bits(read[i]))
		}
	}
	_, err := json.Marshal(nullable{math.Inf(1)})
	assert.Error(t, err)
	assert.Error(t, json.Unmarshal([]byte(`["x"]`), &nullable{}))
}
