package bytecount

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWriter(t *testing.T) {
	var w Writer
	for range 3 {
		n, err := fmt.Fprint(&w, "four")
		assert.NoError(t, err)
		assert.Equal(t, 4, n)
	}
	assert.Equal(t, int64(12), w.Bytes)
}
