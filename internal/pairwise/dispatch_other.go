//go:build !amd64 || purego

package pairwise

// kernels lists those of this build: none.
func kernels() []kernel { return []kernel{inGo} }

func (kernel) add([]float64, *own) { panic("pairwise: no kernel") }
