package rounds

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/training"
)

// fallOver panics.
func fallOver() { panic(io.ErrUnexpectedEOF) }

func caught(rounds int, f func() error) (err error) {
	defer Catch(rounds, &err)
	return f()
}

func TestCatch(t *testing.T) {
	var index []int
	for name, f := range map[string]func() error{
		"value": func() error { fallOver(); return nil },
		"worker": func() error {
			p := par.New(2)
			defer p.Close()
			p.Run(2, func(int, int) { fallOver() })
			return nil
		},
		"index": func() error { index[len(name(t))] = 1; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var err *training.PanicError
			require.ErrorAs(t, caught(3, f), &err)
			assert.Equal(t, 3, err.Rounds)
			assert.Contains(t, err.Error(), "panic after 3 rounds, in ")
			assert.Contains(t, err.Stack[0], "panic_test.go:")
			if name != "index" {
				assert.Contains(t, err.Stack[0], "rounds.fallOver ")
				assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			}
		})
	}
	assert.NoError(t, caught(0, func() error { return nil }))
	assert.Equal(t, io.EOF, caught(0, func() error { return io.EOF }))
}

func name(t *testing.T) string { return t.Name() }

// mappedFault is like the runtime's error for memory of a file that was cut off.
type mappedFault struct{ error }

func (mappedFault) Addr() uintptr { return 1 }

// TestFaultsRemainPanics: whoever mapped the file catches them.
func TestFaultsRemainPanics(t *testing.T) {
	assert.Panics(t, func() { caught(0, func() error { panic(mappedFault{errors.New("cut off")}) }) })
}
