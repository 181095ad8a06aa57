//go:build !linux

package worker

// place would be the processor of the thread that answers requests (place_linux.go).
type place struct{}

func (place) follow(*request) {}
