// Package guardpage is for tests of assembly that reads and writes slices.
package guardpage
