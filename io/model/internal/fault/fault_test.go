package fault

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

func TestChanged(t *testing.T) {
	kind := Kind(ErrFormat, "changed")
	again := []byte("a\nb\n")
	for text, want := range map[string]struct {
		line int
		err  string
	}{
		"a\nc\n":   {2, `changed: "c" is not what lambdamart writes; export the model again`},
		"a\nb\nc":  {3, `changed: "c" is not what lambdamart writes; export the model again`},
		"a\nb\n\n": {4, `changed: "" is not what lambdamart writes; export the model again`},
		"a":        {0, "changed: the end is missing"},
	} {
		line, err := Changed([]byte(text), again, kind)
		assert.Equal(t, want.line, line, text)
		assert.ErrorIs(t, err, kind)
		assert.EqualError(t, err, want.err)
	}
	_, err := Changed(again, again, kind)
	assert.NoError(t, err)
}
