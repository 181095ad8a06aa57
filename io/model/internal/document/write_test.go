package document

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func writeAll(w *Writer) {
	w.Object(func() {
		w.Key("text \"\n").Text("é\x01\"")
		w.Key("list").Array(2, func(i int) {
			w.Line()
			w.Object(func() { w.Key("n").Int(int64(i)) })
		})
		w.Key("empty").Array(0, nil)
		w.Key("yes").Bool(true)
		w.Key("null").Null()
		w.Key("f32").Float32(0.1)
		w.Key("f64").Float64(0.1)
		w.Key("floats").Float32s([]float32{1, -0.25, math.MaxFloat32})
		w.Key("ints").Int32s([]int32{1, math.MinInt32})
		w.Key("longs").Int64s([]int64{math.MaxInt64})
		w.Key("bytes").Bytes8([]byte{0, 255})
		w.Key("none").Int32s(nil)
	})
}

func TestWriteJSON(t *testing.T) {
	w := NewJSON()
	writeAll(w)
	assert.Equal(t, `{"text \"\n":"é\u0001\"","list":[`+"\n"+`{"n":0},`+"\n"+`{"n":1}],"empty":[],"yes":true,"null":null,`+
		`"f32":0.1,"f64":0.1,"floats":[1.0,-0.25,3.4028235e+38],"ints":[1,-2147483648],"longs":[9223372036854775807],`+
		`"bytes":[0,255],"none":[]}`, string(w.Bytes()))
	assert.True(t, json.Valid(w.Bytes()))
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, w := range []*Writer{NewJSON(), NewUBJSON()} {
		writeAll(w)
		d, err := Parse(w.Bytes())
		require.NoError(t, err)
		c := d.Root()
		assert.Equal(t, "é\x01\"", c.Field("text \"\n").Text())
		c.Field("list").Elements(func(i int, e Cursor) { assert.Equal(t, int64(i), e.Field("n").Int(0, 1)) })
		assert.Zero(t, c.Field("empty").Len())
		assert.True(t, c.Field("yes").Bool())
		assert.True(t, c.Field("null").IsNull())
		assert.Equal(t, float32(0.1), c.Field("f32").Float32())
		assert.Equal(t, 0.1, c.Field("f64").Float64())
		assert.Equal(t, []float32{1, -0.25, math.MaxFloat32}, c.Field("floats").Float32s(3))
		assert.Equal(t, []int32{1, math.MinInt32}, c.Field("ints").Int32s(2, math.MinInt32, math.MaxInt32))
		assert.Equal(t, int64(math.MaxInt64), c.Field("longs").only(t))
		assert.Equal(t, []int32{0, 255}, c.Field("bytes").Int32s(2, 0, 255))
		assert.Empty(t, c.Field("none").Int32s(0, 0, 0))
		require.NoError(t, d.Err())
	}
}

// only returns the number of an array with one number.
func (c Cursor) only(t *testing.T) (n int64) {
	require.Equal(t, 1, c.Len())
	c.value.each(func(_ *value, marker byte, raw string) bool {
		var err error
		n, err = parseInt(marker, raw, 0, math.MaxInt64)
		require.NoError(t, err)
		return true
	})
	return n
}

// TestShortFloat32SurvivesFloat64: readers that parse a number as float64 first (Java's Jackson) get the
// float32 that was written.
func TestShortFloat32SurvivesFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		want := math.Float32frombits(rng.Uint32() &^ (1 << 23))
		var got float64
		require.NoError(t, json.Unmarshal(appendFloat(nil, float64(want), 32), &got))
		require.Equal(t, want, float32(got))
	}
}
