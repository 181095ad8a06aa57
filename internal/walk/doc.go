// Package walk sends rows of bins down a tree: many at a time, with neither branches nor pointers.
//
// A row is some bytes. Every internal node of the tree tests a column ([Node]), and a row ends in a leaf. On
// amd64, if each column is in one byte, all nodes are tested for all rows of a tile, 64 with AVX-512 and 32
// with AVX2:
//
//	rows    64 × stride bytes
//	tile    the same bytes, column by column, of the columns that the tree tests: 64 bytes each
//	masks   the rows that reach a node or a leaf, a bit for each
//
//	        masks[left]  = masks[node] & rows whose byte is at most the node's bin
//	        masks[right] = masks[node] & the others
//
// In the end the masks of the leaves show which leaf each row is in. A test is a few instructions for 64
// rows, so testing nodes that no row of the tile reaches costs less than a mispredicted branch. On other
// processors, and for the remaining rows, eight rows go down the tree side by side. If columns are wide or
// categorical, the leaf of a row is looked up in tables by the bins of its columns (lookup.go), unless the
// tree is very large. If the tree splits sparse columns, rows are first unpacked: the bins of its columns are
// copied to consecutive bytes.
package walk

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg walk
