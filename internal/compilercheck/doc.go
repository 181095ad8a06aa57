// Package compilercheck tests how the compiler translates hot loops. For each hot function it lists
//
//   - whether calls of it are inlined,
//   - the bounds checks that are left in it,
//   - what it allocates on the heap,
//
// and compares the list with testdata/expected.txt. A line of that file is keyed by
// the function and its source text, not by line numbers.
package compilercheck
