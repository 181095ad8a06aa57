package nnbaseline

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// smallModel returns a trained model whose file has a few kilobytes.
func smallModel(t testing.TB, normalization string) *Model {
	t.Helper()
	train, _ := syntheticSets(6)
	p := DefaultParams()
	p.HiddenLayers, p.Epochs, p.NumThreads, p.Normalization = []int{7, 3}, 1, 1, normalization
	r, err := Train(context.Background(), p, train, nil, training.Options{})
	require.NoError(t, err)
	return r.Model
}

// TestFormat checks the file of a network without hidden layers against bytes made by hand
// from the package documentation.
func TestFormat(t *testing.T) {
	n := newNetwork(shape{[]int{2, 1}, NoNormalization})
	copy(n.weights, []float32{1.5, -2, 0.25})
	m := newModel(MSE, map[string]string{"seed": "7"},
		inputs{[]feature{{"a", 0.5, 2}, {"b", 0, 0}}, RefuseNaN}, n)
	text := `{"ranker":"mse","features":[{"name":"a","mean":0.5,"scale":2},{"name":"b","mean":0,"scale":0}],` +
		`"nan":"error","hidden_layers":[],"normalization":"none","parameters":{"seed":"7"}}`
	want := []byte("\x8bLMN\r\n\x1a\n\x01\x00\x00\x00")
	want = binary.LittleEndian.AppendUint32(want, uint32(len(text)))
	want = append(want, 3, 0, 0, 0, 0, 0, 0, 0)
	want = binary.LittleEndian.AppendUint32(want, crc32.Checksum(want, crc32.MakeTable(crc32.Castagnoli)))
	body := append([]byte(text), 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x80, 0x3e)
	want = append(want, body...)
	want = binary.LittleEndian.AppendUint32(want, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	assert.Equal(t, want, bytesOf(t, m))

	dst := make([]float64, 1)
	require.NoError(t, m.Score(dst, []float64{math.E - 1, 99}))
	assert.InDelta(t, (1-0.5)*2*1.5+0.25, dst[0], 1e-6)

	assert.True(t, IsModel(want[:8]))
	again, err := ReadModel(iotest.OneByteReader(bytes.NewReader(want)))
	require.NoError(t, err)
	assert.Equal(t, []any{m.Ranker(), m.Layers(), m.Parameters(), m.inputs, n.weights},
		[]any{again.Ranker(), again.Layers(), again.Parameters(), again.inputs, again.network.weights})
}

func TestDamagedFiles(t *testing.T) {
	file := bytesOf(t, smallModel(t, NoNormalization))
	read := func(b []byte) error {
		_, err := ReadModel(bytes.NewReader(b))
		return err
	}
	stride := 1
	if testing.Short() {
		stride = 97
	}
	for end := 0; end < len(file); end += stride {
		err := read(file[:end])
		want := ErrCut
		if end == 0 {
			want = ErrForeign
		}
		require.ErrorIs(t, err, want, "cut at %d", end)
	}
	require.ErrorIs(t, read(append(bytes.Clone(file), 0)), ErrDamaged)
	for i := 0; i < len(file); i += stride {
		changed := bytes.Clone(file)
		changed[i] ^= 1 << (i % 8)
		want := ErrDamaged
		switch {
		case i < 8:
			want = ErrForeign
		case i < 12:
			want = ErrVersion
		}
		require.ErrorIs(t, read(changed), want, "byte %d", i)
	}
	require.ErrorIs(t, read([]byte("tree\nversion=v3\n")), ErrForeign)
	assert.ErrorContains(t, read(file[:100]), "100 of")
	broken := errors.New("broken")
	_, err := ReadModel(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

// fileOf makes a file with a header, values, and correct checksums.
func fileOf(text string, values ...float32) []byte {
	file := preface(len(text), len(values))
	body := []byte(text)
	for _, v := range values {
		body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
	}
	return binary.LittleEndian.AppendUint32(append(file, body...), crc32.Checksum(body, castagnoli))
}

func TestInvalidFiles(t *testing.T) {
	const good = `{"ranker":"mse","features":[{"name":"a","mean":0.5,"scale":2}],"nan":"error",` +
		`"hidden_layers":[1],"normalization":"batch","parameters":{}}`
	values := []float32{1, 0, 1, 0, 1, 0, 0, 1}
	_, err := ReadModel(bytes.NewReader(fileOf(good, values...)))
	require.NoError(t, err)
	for _, change := range [][2]string{
		{`"mse"`, `"svm"`},
		{`"error"`, `"zero"`},
		{`"batch"`, `"group"`},
		{`"batch"`, `"layer"`}, // has fewer values
		{`[1]`, `[0]`},
		{`[1]`, `[2]`},
		{`[1]`, `[16385]`},
		{`[1]`, `[` + strings.Repeat("1,", 255) + `1]`},
		{`"scale":2`, `"scale":-2`},
		{`"mean":0.5`, `"mean":1e999`},
		{`[{"name":"a","mean":0.5,"scale":2}]`, `[]`},
		{`"parameters"`, `"params"`},
		{`{}}`, `{"calibrated":"platt;1;1,0"}}`},
		{`{}}`, `{}}{}`},
		{`{}}`, `{}`},
	} {
		_, err := ReadModel(bytes.NewReader(fileOf(strings.Replace(good, change[0], change[1], 1), values...)))
		assert.ErrorIs(t, err, ErrInvalid, change[1])
	}
	for i, v := range map[int]float32{3: float32(math.NaN()), 0: float32(math.Inf(1)), 7: -1} {
		spoiled := append([]float32(nil), values...)
		spoiled[i] = v
		_, err := ReadModel(bytes.NewReader(fileOf(good, spoiled...)))
		assert.ErrorIs(t, err, ErrInvalid, "value %d is %v", i, v)
	}
	huge := preface(maxHeader+1, 1)
	_, err = ReadModel(bytes.NewReader(huge))
	assert.ErrorIs(t, err, ErrInvalid)
	_, err = ReadModel(bytes.NewReader(preface(maxHeader, 1<<40)))
	assert.ErrorIs(t, err, ErrCut, "without the memory for it")
}

// FuzzReadModel: any bytes either are an error or give a model that scores and is written back to the same
// bytes. The test corrects the checksums, so that inputs pass the first check.
func FuzzReadModel(f *testing.F) {
	for _, normalization := range []string{NoNormalization, BatchNorm, LayerNorm} {
		n := newNetwork(shape{[]int{2, 3, 1}, normalization})
		n.initialize(1)
		m := newModel(RankNet, map[string]string{"seed": "0"},
			inputs{[]feature{{"a", 0.5, 2}, {"b", 0, 0}}, RefuseNaN}, n)
		file := bytesOf(f, m)
		f.Add(file[prefaceSize:len(file)-4], binary.LittleEndian.Uint32(file[12:]))
	}
	f.Fuzz(func(t *testing.T, body []byte, headerBytes uint32) {
		values := max(0, len(body)-int(headerBytes)) / 4
		file := append(preface(int(headerBytes), values), body...)
		file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(body, castagnoli))
		m, err := ReadModel(bytes.NewReader(file))
		if err != nil {
			return
		}
		dst := make([]float64, 1)
		require.NoError(t, m.Score(dst, make([]float64, m.NumFeatures())))
		again, err := ReadModel(bytes.NewReader(bytesOf(t, m)))
		require.NoError(t, err)
		require.Equal(t, bytesOf(t, m), bytesOf(t, again))
		require.Equal(t, m.network.weights, again.network.weights)
		require.Equal(t, m.inputs.features, again.inputs.features)
	})
}
