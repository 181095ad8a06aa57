//go:build !unix

package outofcore

// File is for systems that map files.
type File struct{}
