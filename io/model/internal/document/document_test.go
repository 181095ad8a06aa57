package document

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ubj concatenates parts of UBJSON: text unchanged, and numbers in big-endian order.
func ubj(parts ...any) []byte {
	var b []byte
	for _, part := range parts {
		switch p := part.(type) {
		case string:
			b = append(b, p...)
		case float32:
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(p))
		case float64:
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(p))
		case int8:
			b = append(b, byte(p))
		case int16:
			b = binary.BigEndian.AppendUint16(b, uint16(p))
		case int32:
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(p))
		}
	}
	return b
}

// both is the same document in both formats. The UBJSON has every type, typed and
// counted containers, and no-ops.
var both = map[string][]byte{
	"JSON": []byte(` { "a" : [1, -2.5e0 ,3], "none": [], "text": "caf\u00e9\n", "s": "x",
		"deep": {"list": [{"n": 7}, {"n": -300}], "yes": true, "no": false, "null": null, "flags": [0, 1, 1]},
		"big": 9007199254740993, "tenth": 0.1, "ints": [1, 70000, -1], "bools": [true,true]} `),
	"UBJSON": ubj("{i", int8(1), "a[$d#i", int8(3), float32(1), float32(-2.5), float32(3),
		"U", int8(4), "none[#L", int64(0),
		"i", int8(4), "textSU", int8(6), "café\n", "L", int64(1), "sCx", "NN",
		"I", int16(4), "deep{#i", int8(5),
		"l", int32(4), "list[{i", int8(1), "nU", int8(7), "}N{i", int8(1), "nI", int16(-300), "}]",
		"i", int8(3), "yesT", "i", int8(2), "noF", "i", int8(4), "nullZ",
		"i", int8(5), "flags[$U#i", int8(3), int8(0), int8(1), int8(1),
		"i", int8(3), "bigL", int64(9007199254740993), "i", int8(5), "tenthD", 0.1,
		"i", int8(4), "ints[i", int8(1), "l", int32(70000), "i", int8(-1), "]",
		"i", int8(5), "bools[$T#i", int8(2), "}"),
}

func TestBothFormats(t *testing.T) {
	for name, data := range both {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, name == "UBJSON", IsUBJSON(data))
			d, err := Parse(data)
			require.NoError(t, err)
			root := d.Root()
			root.Known([]string{"a", "none", "text", "s", "deep", "big", "tenth", "ints", "bools"})
			assert.Equal(t, []float32{1, -2.5, 3}, root.Field("a").Float32s(3))
			assert.Equal(t, []float64{}, root.Field("none").Float64s(0))
			assert.Equal(t, "café\n", root.Field("text").Text())
			assert.Equal(t, "x", root.Field("s").Text())
			deep := root.Field("deep")
			var n []int64
			deep.Field("list").Elements(func(i int, e Cursor) { n = append(n, e.Field("n").Int(-300, 7)) })
			assert.Equal(t, []int64{7, -300}, n)
			assert.True(t, deep.Field("yes").Bool())
			assert.False(t, deep.Field("no").Bool())
			assert.True(t, deep.Field("null").value.kind == null)
			assert.Equal(t, []int32{0, 1, 1}, deep.Field("flags").Int32s(3, 0, 1))
			assert.Equal(t, int64(9007199254740993), root.Field("big").Int(0, math.MaxInt64))
			assert.Equal(t, 0.1, root.Field("tenth").Float64())
			assert.Equal(t, float32(0.1), root.Field("tenth").Float32())
			assert.Equal(t, []int32{1, 70000, -1}, root.Field("ints").Int32s(3, -1, 70000))
			var yes []bool
			root.Field("bools").Elements(func(_ int, e Cursor) { yes = append(yes, e.Bool()) })
			assert.Equal(t, []bool{true, true}, yes)
			var keys []string
			deep.Entries(func(key string, _ Cursor) { keys = append(keys, key) })
			assert.Equal(t, []string{"list", "yes", "no", "null", "flags"}, keys)
			require.NoError(t, d.Err())
		})
	}
}

// TestFloat32IsRoundedOnce: this decimal is just above the midpoint between 1 and the next float32, and
// nearer to it than float64 can resolve.
func TestFloat32IsRoundedOnce(t *testing.T) {
	const decimal = "1.000000059604644775390625000001"
	d, err := Parse([]byte("[" + decimal + "]"))
	require.NoError(t, err)
	assert.Equal(t, []float32{math.Nextafter32(1, 2)}, d.Root().Float32s(1))
	assert.Equal(t, float32(1), float32(d.Root().Float64s(1)[0]))
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   error
		offset int
	}{
		{"", ErrTruncated, 0},
		{"  ", ErrTruncated, 2},
		{"[1,", ErrTruncated, 3},
		{`{"a":1`, ErrTruncated, 6},
		{`{"a`, ErrTruncated, 1},
		{`{"a\`, ErrTruncated, 1},
		{"[1 2]", ErrSyntax, 3},
		{"[1,]", ErrSyntax, 3},
		{"[,1]", ErrSyntax, 1},
		{"[01]", ErrSyntax, 1},
		{"[1.]", ErrSyntax, 1},
		{"[+1]", ErrSyntax, 1},
		{"[nul]", ErrSyntax, 1},
		{"{a:1}", ErrSyntax, 1},
		{`{"a" 1}`, ErrSyntax, 5},
		{`{"a":1,}`, ErrSyntax, 7},
		{`{"a":1} x`, ErrSyntax, 8},
		{`{"a":1,"a":2}`, ErrUnknownKey, 11},
		{"\"\n\"", ErrSyntax, 1},
		{`"\q"`, ErrSyntax, 0},
		{strings.Repeat("[", 1_000_000), ErrDepth, MaxDepth},
		{strings.Repeat(`{"a":`, 1_000_000), ErrDepth, 5 * MaxDepth},

		{"{i", ErrTruncated, 2},
		{"{i\x01a", ErrTruncated, 4},
		{"[i\x01", ErrTruncated, 3},
		{"{L\x7f\xff\xff\xff\xff\xff\xff\xff", ErrLength, 1},
		{"{L\xff\xff\xff\xff\xff\xff\xff\xff", ErrLength, 1},
		{"[$d#l\x7f\xff\xff\xff", ErrLength, 4},
		{"[$d#i\x02\x00\x00\x00\x00", ErrTruncated, 6},
		{"[$Z#i\x7f", ErrLength, 4},
		{"[$[#i\x03$Z#i\x14$Z#i\x14$Z#i\x14", ErrLength, 11},
		{"[$d\x00", ErrSyntax, 3},
		{"{#d\x00\x00\x00\x00", ErrSyntax, 2},
		{"[#i\x01H", ErrSyntax, 4},
		{"[#i\x01Si\x01", ErrTruncated, 7},
		{"{i\x01aZi\x01aZ}", ErrUnknownKey, 9},
		{"[i\x01]]", ErrSyntax, 4},
		{strings.Repeat("[$", 1_000_000), ErrSyntax, 3},
		{strings.Repeat("[#i\x01", 1_000_000), ErrDepth, 4*MaxDepth + 1},
	} {
		_, err := Parse([]byte(c.text))
		name := Clip(c.text)
		assert.ErrorIs(t, err, c.want, name)
		var located *Error
		if assert.ErrorAs(t, err, &located, name) {
			assert.Equal(t, c.offset, located.Offset, "%s: %v", name, err)
		}
	}
}

func TestCursorFaults(t *testing.T) {
	const text = `{"a":{"b":[{"c":1.5},{"c":[1,x300]}]},"n":[1,2,400]}`
	json := strings.Replace(text, "x300", "300", 1)
	for _, c := range []struct {
		use    func(root Cursor)
		want   error
		offset int
		path   string
	}{
		{func(c Cursor) { c.Field("z") }, ErrMissing, 0, ""},
		{func(c Cursor) { c.Field("a").Field("z").Field("y") }, ErrMissing, 5, "a"},
		{func(c Cursor) { c.Field("n").Field("z") }, ErrKind, 41, "n"},
		{func(c Cursor) { c.Field("a").Text() }, ErrKind, 5, "a"},
		{func(c Cursor) { c.Known([]string{"a"}) }, ErrUnknownKey, 41, "n"},
		{func(c Cursor) { c.Field("n").Float64s(2) }, ErrLength, 41, "n"},
		{func(c Cursor) { c.Field("n").Int32s(3, 0, 255) }, ErrNumber, 41, "n[2]"},
		{func(c Cursor) { c.Field("a").Field("b").Float64s(2) }, ErrKind, 11, "a.b[0]"},
		{func(c Cursor) { c.Field("a").Field("b").Elements(func(_ int, e Cursor) { e.Field("c").Int(0, 1) }) },
			ErrNumber, 16, "a.b[0].c"},
		{func(c Cursor) { c.Field("a").Field("b").Elements(func(_ int, e Cursor) { e.Field("c").Float64() }) },
			ErrKind, 26, "a.b[1].c"},
		{func(c Cursor) { c.Field("n").Elements(func(int, Cursor) {}) }, ErrKind, 41, "n"},
	} {
		d, err := Parse([]byte(json))
		require.NoError(t, err)
		c.use(d.Root())
		d.Root().Fail(errors.New("later"))
		assert.ErrorIs(t, d.Err(), c.want)
		var located *Error
		if assert.ErrorAs(t, d.Err(), &located) {
			assert.Equal(t, c.offset, located.Offset, "%v", d.Err())
			assert.Equal(t, c.path, located.Path)
		}
		assert.Zero(t, d.Root().Field("n").Len())
	}
}

func TestNumbersBeyondFloat32(t *testing.T) {
	// both above the largest float32
	for _, data := range []string{"[1e39]", "[D\x47\xf0\x00\x00\x00\x00\x00\x00]"} {
		d, err := Parse([]byte(data))
		require.NoError(t, err)
		d.Root().Float32s(1)
		assert.ErrorIs(t, d.Err(), ErrNumber)
	}
}

// FuzzParse: JSON that encoding/json accepts is accepted with the same meaning, except for what the package
// documentation refuses. No input panics, in either format.
func FuzzParse(f *testing.F) {
	for _, data := range both {
		f.Add(data)
	}
	f.Add([]byte(`{"a":1,"b":2,"a":3}`))
	f.Add([]byte(`{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,` +
		`"14":0,"15":0,"16":0,"17":0,"3":0}`))
	f.Add([]byte(`[NaN,-Infinity,Infinity]`))
	f.Add([]byte(strings.Repeat("[", MaxDepth+1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			var located *Error
			require.ErrorAs(t, err, &located)
			require.LessOrEqual(t, located.Offset, len(data))
			if json.Valid(data) && !IsUBJSON(data) {
				require.True(t, errors.Is(err, ErrUnknownKey) || errors.Is(err, ErrDepth), "%v", err)
			}
			return
		}
		visit(d.Root())
		if !IsUBJSON(data) && !strings.Contains(string(data), "NaN") &&
			!strings.Contains(string(data), "Infinity") {
			require.True(t, json.Valid(data))
		}
	})
}

// visit reads every value below a cursor.
func visit(c Cursor) {
	c.Optional("a")
	switch {
	case c.IsObject():
		c.Entries(func(_ string, e Cursor) { visit(e) })
	case c.IsArray() && c.value.kind == numbers:
		c.Float64s(c.Len())
		c.Int32s(c.Len(), -1, 1)
	case c.IsArray():
		c.Elements(func(_ int, e Cursor) { visit(e) })
	case c.value != nil && c.value.kind == text:
		c.Text()
	default:
		c.Float32()
	}
}

func TestKind(t *testing.T) {
	ours, other := Kind(ErrFormat, "not one of ours"), Kind(ErrFormat, "not one of ours")
	err := fmt.Errorf("line 3: %w", ours)
	assert.EqualError(t, err, "line 3: not one of ours")
	assert.ErrorIs(t, err, ours)
	assert.ErrorIs(t, err, ErrFormat)
	assert.NotErrorIs(t, err, other)
	assert.NotErrorIs(t, err, ErrUnsupported)
	assert.NotErrorIs(t, ErrFormat, ours)
}

func TestCursorJSON(t *testing.T) {
	d, err := Parse([]byte(`[{"a": [1, 2.0], "b": ["<", true, null, -0.5], "c": []}, NaN]`))
	require.NoError(t, err)
	assert.Equal(t, `{"a":[1,2.0],"b":["\u003c",true,null,-0.5],"c":[]}`, d.Root().child(0).JSON())
	assert.Empty(t, d.Root().child(1).JSON())
	assert.EqualError(t, d.Err(), "byte 57: [1]: syntax: invalid character 'N' looking for beginning of value")
}

// TestShortFloat32SurvivesFloat64: a reader that first parses a number as float64, like Java's Jackson, gets
// the float32 that was written.
func TestShortFloat32SurvivesFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		want := math.Float32frombits(rng.Uint32() &^ (1 << 23))
		var got float64
		require.NoError(t, json.Unmarshal(AppendFloat(nil, float64(want), 32), &got))
		require.Equal(t, want, float32(got))
	}
}
