package stream

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

func TestChecksum(t *testing.T) {
	path := aid.File(t, "abc", "abc")
	size, sum, err := Checksum(t.Context(), path)
	require.NoError(t, err)
	assert.EqualValues(t, 3, size)
	assert.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sum,
		"FIPS 180-2, appendix B.1")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = Checksum(ended, path)
	assert.ErrorIs(t, err, context.Canceled)
	_, _, err = Checksum(t.Context(), path+"x")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
