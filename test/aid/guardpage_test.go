//go:build linux

package aid

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestFencesHold(t *testing.T) {
	memory := GuardedPages(t, 2)
	for i := range memory {
		memory[i] = 1
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	first, last := unsafe.Pointer(&memory[0]), unsafe.Pointer(&memory[len(memory)-1])
	require.Panics(t, func() { *(*byte)(unsafe.Add(first, -1)) = 2 })
	require.Panics(t, func() { *(*byte)(unsafe.Add(last, 1)) = 2 })
}
