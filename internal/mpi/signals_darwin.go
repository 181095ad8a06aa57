//go:build mpi

package mpi

// keepHandlers does nothing: the libraries of this system replace no signal handlers.
func keepHandlers() (restore func()) { return func() {} }
