// Package fence is for tests of assembly that reads and writes slices.
package fence
