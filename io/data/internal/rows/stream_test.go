package rows

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestBlocksOfPartsAreNumberedThrough: blocks of all parts, and the end, are numbered consecutively. Rows are
// emitted in this order, and none after the end.
func TestBlocksOfPartsAreNumberedThrough(t *testing.T) {
	const size = 64
	var f *File
	for _, lines := range []int{50, 1, 20} {
		part := open(t, aid.File(t, "data.txt", strings.Repeat("1 2 3\n", lines)), letorLike, size)
		if f == nil {
			f = part
		} else {
			f.parts = append(f.parts, part.parts...)
		}
	}
	defer f.Close()
	c := &chain{file: f, left: f.parts}
	defer c.close()
	rows := 0
	for index := 0; ; index++ {
		var b Text
		err := c.next(&b)
		assert.Equal(t, index, b.index)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		assert.Equal(t, rows, b.FirstRow)
		rows += b.Rows
	}
	assert.Equal(t, 71, rows)
}
