package model_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
)

// Models are read alike however few bytes come at once.
func TestShortReads(t *testing.T) {
	e := treetest.Model{Trees: 3, Leaves: 5, Features: 3, Float32: true}.Make(rand.New(rand.NewPCG(1, 2)))
	for _, target := range model.Targets() {
		o := model.Options{Settings: settingsOf(target)}
		var b bytes.Buffer
		require.NoError(t, model.Write(&b, e, target.Name(), o))
		want, format, err := model.Read(bytes.NewReader(b.Bytes()))
		if err != nil {
			continue // there is no reader of this format
		}
		for name, pieces := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "the end with the last bytes": iotest.DataErrReader,
		} {
			got, again, err := model.Read(pieces(bytes.NewReader(b.Bytes())))
			require.NoError(t, err, "%s, %s", target.Name(), name)
			assert.Equal(t, format, again)
			assert.Equal(t, want, got, "%s, %s", target.Name(), name)
		}
	}
}
