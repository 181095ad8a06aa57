package par

import (
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panicOf returns the Panic with which f panics.
func panicOf(t *testing.T, f func()) (failure *Panic) {
	t.Helper()
	defer func() {
		var ok bool
		failure, ok = recover().(*Panic)
		require.True(t, ok, "it has not panicked, or not with a *Panic")
	}()
	f()
	return nil
}

func TestPanicReachesTheCaller(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		p := New(workers)
		failure := panicOf(t, func() {
			p.Run(10, func(_, i int) {
				if i == 5 {
					panic("task 5")
				}
			})
		})
		assert.Equal(t, "task 5", failure.Value)
		assert.Contains(t, failure.Error(), "task 5")
		assert.NoError(t, failure.Unwrap())
		p.Run(workers, func(int, int) {}) // the pool is still usable
		p.Close()
	}
}

// fallOver returns a task that panics at place 1. At place 0 it waits for that, because the caller could
// otherwise take both places.
func fallOver() func(place int) {
	var begun atomic.Bool
	return func(place int) {
		if place == 1 {
			begun.Store(true)
			panic(io.ErrUnexpectedEOF)
		}
		for !begun.Load() {
			runtime.Gosched()
		}
	}
}

// TestPanicCarriesTheWorkersStack panics on a goroutine other than the caller's. The caller's own stack
// contains neither fallOver nor the worker's loop.
func TestPanicCarriesTheWorkersStack(t *testing.T) {
	p := New(2)
	defer p.Close()
	failure := panicOf(t, func() { p.Each(2, fallOver()) })
	for _, frame := range []string{"fallOver", "panic_test.go:", "par.(*Pool).serve("} {
		assert.Contains(t, string(failure.Stack), frame)
		assert.Contains(t, failure.Error(), frame)
	}
	assert.NotContains(t, string(failure.Stack), "TestPanicCarriesTheWorkersStack(")
	assert.True(t, errors.Is(failure, io.ErrUnexpectedEOF))
}

// TestPanicWithinATaskKeepsItsStack runs a task that uses another pool. The stack is
// still the innermost worker's.
func TestPanicWithinATaskKeepsItsStack(t *testing.T) {
	p := New(2)
	defer p.Close()
	failure := panicOf(t, func() {
		p.Run(2, func(int, int) {
			inner := New(2)
			defer inner.Close()
			inner.Each(2, fallOver())
		})
	})
	assert.Equal(t, io.ErrUnexpectedEOF, failure.Value)
	assert.Contains(t, string(failure.Stack), "fallOver")
}
