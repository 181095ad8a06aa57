package document

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func everything() Object {
	return Object{
		{"text \"\n", "é\x01\""},
		{"list", []Object{{{"n", 0}}, {{"n", 1}}}},
		{"empty", Object{}},
		{"texts", []string{"a", "b"}},
		{"whole", []int{1, -1}},
		{"floats", []float32{1, -0.25, math.MaxFloat32}},
		{"ints", []int32{1, math.MinInt32}},
		{"longs", []int64{math.MaxInt64}},
		{"bytes", []byte{0, 255}},
		{"none", []int32(nil)},
	}
}

func TestAppendJSON(t *testing.T) {
	text := AppendJSON(nil, everything())
	assert.Equal(t, `{"text \"\n":"é\u0001\"","list":[`+"\n"+`{"n":0},`+"\n"+`{"n":1}],"empty":{},`+
		`"texts":["a","b"],"whole":[1,-1],"floats":[1.0,-0.25,3.4028235e+38],"ints":[1,-2147483648],`+
		`"longs":[9223372036854775807],"bytes":[0,255],"none":[]}`, string(text))
	assert.True(t, json.Valid(text))
	pair := [2]Object{{{"x", float32(0.1)}}, {}}
	assert.Equal(t, `[{"x":0.1},{}]`, string(AppendJSON(nil, pair)))
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	d, err := Parse(AppendJSON(nil, everything()))
	require.NoError(t, err)
	c := d.Root()
	assert.Equal(t, "é\x01\"", c.Field("text \"\n").Text())
	c.Field("list").Elements(func(i int, e Cursor) { e.Field("n").Is(int64(i)) })
	assert.Zero(t, c.Field("empty").Len())
	assert.Equal(t, []string{"a", "b"}, c.Field("texts").Texts())
	assert.Equal(t, []int32{1, -1}, c.Field("whole").Int32s(2, -1, 1))
	assert.Equal(t, []float32{1, -0.25, math.MaxFloat32}, c.Field("floats").Float32s(3))
	assert.Equal(t, []int32{1, math.MinInt32}, c.Field("ints").Int32s(2, math.MinInt32, math.MaxInt32))
	assert.Equal(t, []float64{math.MaxInt64}, c.Field("longs").Float64s(1))
	assert.Equal(t, []int32{0, 255}, c.Field("bytes").Int32s(2, 0, 255))
	assert.Empty(t, c.Field("none").Int32s(0, 0, 0))
	require.NoError(t, d.Err())
}

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
