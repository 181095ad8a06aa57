//go:build !amd64 || purego

package pairwise

// kernels lists those of this build: none.
func kernels() []kernel { return []kernel{inGo} }

func (kernel) add(*Documents, int, *own) { panic("pairwise: no kernel") }
