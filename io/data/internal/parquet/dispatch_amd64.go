//go:build !purego

package parquet

import "golang.org/x/sys/cpu"

// hasLookEights reports whether this CPU and build have lookEights.
var hasLookEights = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VBMI
