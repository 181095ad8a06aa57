package stream

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAllowance(t *testing.T) {
	a := &Allowance{R: strings.NewReader("short\n" + strings.Repeat("x", 100) + "\n")}
	in := bufio.NewReaderSize(a, 16)
	_, err := in.ReadString('\n')
	assert.ErrorIs(t, err, ErrLong, "nothing is allowed yet")

	a = &Allowance{R: strings.NewReader("short\n" + strings.Repeat("x", 100) + "\nend"), Left: 50}
	in = bufio.NewReaderSize(a, 16)
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "short\n", line)
	a.Left = 50
	_, err = in.ReadString('\n')
	assert.ErrorIs(t, err, ErrLong)
	a.Left = 100
	rest, err := io.ReadAll(in)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(rest), "x\nend"))
}
