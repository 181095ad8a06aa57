//go:build !purego

package histogram

import "golang.org/x/sys/cpu"

// hasKernel reports whether this CPU and build have the assembly of tiles.
var hasKernel = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ &&
	cpu.X86.HasAVX512VL && cpu.X86.HasBMI2
