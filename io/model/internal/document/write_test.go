package document

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCursorJSON(t *testing.T) {
	d, err := Parse([]byte(`{"a": [1, 2.0, 1e300, NaN], "b": ["x", true, null, -0.5], "c": []}`))
	require.NoError(t, err)
	assert.Equal(t, `{"a":[1,2,1e+300,null],"b":["x",true,null,-0.5],"c":[]}`, d.Root().JSON())
}

// TestShortFloat32SurvivesFloat64: a reader that first parses a number as float64, like Java's Jackson,
// gets the
// float32 that was written.
func TestShortFloat32SurvivesFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		want := math.Float32frombits(rng.Uint32() &^ (1 << 23))
		var got float64
		require.NoError(t, json.Unmarshal(AppendFloat(nil, float64(want), 32), &got))
		require.Equal(t, want, float32(got))
	}
}
