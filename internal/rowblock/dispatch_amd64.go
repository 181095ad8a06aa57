//go:build !purego

package rowblock

import "golang.org/x/sys/cpu"

// HasKernel reports whether this CPU and build have a kernel.
var HasKernel = cpu.X86.HasAVX2
