package document

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
