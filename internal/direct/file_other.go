//go:build !unix

package direct

// File is for systems that map files.
type File struct{}
