package cv

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/training"
)

// TestProgressSaysWhatWasRestored: once for each fold that continues from a checkpoint.
func TestProgressSaysWhatWasRestored(t *testing.T) {
	var out bytes.Buffer
	p := &progress{messages: cli.NewConsole(&out), of: 9, folds: []string{"a", "b", "c"}, restored: make([]int, 3)}
	for _, r := range []struct {
		fold     int
		restored bool
	}{{0, false}, {1, true}, {1, true}, {0, false}, {1, false}, {1, false}, {2, true}, {2, true}, {2, true}} {
		p.round(r.fold, training.Round{Restored: r.restored})
	}
	assert.Equal(t, "note: fold b continues after iteration 2, from its checkpoint\n", out.String(), "fold c has not continued yet")
	assert.Equal(t, 9, p.done)
}
