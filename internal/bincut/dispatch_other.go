//go:build !amd64 || purego

package bincut

// kernels returns the only kernel of builds without assembly.
func kernels() []kernel { return []kernel{inGo} }

// search is never called, because inGo has no assembly.
func (kernel) search(tie, *Cut, *int64, []Span, *numbers) { panic("bincut: no kernel") }
