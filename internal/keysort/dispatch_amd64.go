//go:build !purego

package keysort

import "golang.org/x/sys/cpu"

// hasNetwork reports whether this CPU and build have sorting networks in assembly.
var hasNetwork = cpu.X86.HasAVX512F
