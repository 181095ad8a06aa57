//go:build !purego

package bincut

import "golang.org/x/sys/cpu"

// kernels returns the kernels that the CPU and the operating system support, the slowest first.
func kernels() []kernel {
	all := []kernel{inGo}
	if cpu.X86.HasAVX2 {
		all = append(all, avx2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
			all = append(all, avx512)
		}
	}
	return all
}

// search finds the cuts of one or more columns.
func (k kernel) search(t tie, dst *Cut, sums *int64, columns []Span, n *numbers) {
	switch {
	case k == avx512 && t == lastBin:
		lastAVX512(&dst.Both, sums, &columns[0].From, len(columns), &n.gradient)
	case k == avx512:
		firstAVX512(&dst.Both, sums, &columns[0].From, len(columns), &n.gradient)
	case t == lastBin:
		lastAVX2(&dst.Both, sums, &columns[0].From, len(columns), &n.gradient)
	default:
		firstAVX2(&dst.Both, sums, &columns[0].From, len(columns), &n.gradient)
	}
}
