//go:build !amd64 || purego

package pairwise

// kernels returns the only kernel of builds without assembly.
func kernels() []kernel { return []kernel{inGo} }

// add is never called, because inGo has no assembly.
func (kernel) add(*Documents, *task) { panic("pairwise: no kernel") }

// addTogether is never called either.
func (kernel) addTogether(*Together, int) { panic("pairwise: no kernel") }

// rankTogether is never called either.
func (kernel) rankTogether(*Together, []float64, float64) uint { panic("pairwise: no kernel") }
