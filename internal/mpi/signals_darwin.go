//go:build mpi

package mpi

// keepHandlers does nothing: the libraries of this system take no signals.
func keepHandlers() (restore func()) { return func() {} }
