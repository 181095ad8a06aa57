package gemm

import (
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/par"
)

// The sizes into which a product is divided. Only depthBlock influences the result.
const (
	depthBlock  = 256     // a packed panel takes 16 or 32 KB and stays in the first-level cache
	rowBlock    = 192     // this many rows of A, of depthBlock values, take 192 KB of the second-level cache
	serialBelow = 1 << 18 // multiplications: some microseconds, less than waking workers takes
	maxRows     = 12      // of a tile
	maxColumns  = 32
)

// product is C = alpha·A·B + beta·C; A is m×k, B is k×n.
type product struct {
	m, n, k     int
	alpha, beta float32
	a, b, c     operand
	kernel      kernel
}

// panel is a block of B: its rows one after the other, each padded with zeros to the columns of the kernel.
type panel [depthBlock * maxColumns]float32

// multiply divides C into blocks of rows and of columns. Each block is a task,
// and no other task writes to it.
func (p *product) multiply(pool *par.Pool) {
	width := p.kernel.columns
	rows := (p.m + rowBlock - 1) / rowBlock
	columns := (p.n + width - 1) / width
	if pool == nil || rows*columns == 1 || p.m*p.n*p.k < serialBelow {
		var packed panel
		for i := range rows * columns {
			p.block(&packed, i/columns*rowBlock, i%columns*width)
		}
		return
	}
	shared := *p // a copy, so that p does not escape to the heap in calls without a pool
	pool.Run(rows*columns, func(_, i int) {
		var packed panel
		shared.block(&packed, i/columns*rowBlock, i%columns*width)
	})
}

// block computes up to rowBlock rows of up to kernel.columns columns of C, with packed as memory for a panel.
func (p *product) block(packed *panel, row, column int) {
	last := min(row+rowBlock, p.m)
	width := min(p.kernel.columns, p.n-column)
	p.scale(row, last, column, width)
	for from := 0; from < p.k; from += depthBlock {
		depth := min(depthBlock, p.k-from)
		p.pack(packed, from, depth, column, width)
		add := from > 0 || p.beta != 0
		for i := row; i < last; {
			rows := p.kernel.tileRows(last - i)
			p.tile(packed, i, rows, column, width, from, depth, add)
			i += rows
		}
	}
}

// tileRows returns the number of rows of the next tile if this many are left: all that a tile can have, or a
// power of two.
func (k kernel) tileRows(left int) int {
	if left >= k.rows {
		return k.rows
	}
	return 1 << (bits.Len(uint(left)) - 1)
}

// scale multiplies a block of C by beta. If beta is 0 it does nothing: the first sums will
// overwrite C.
func (p *product) scale(row, last, column, width int) {
	if p.beta == 0 || p.beta == 1 {
		return
	}
	for i := row; i < last; i++ {
		c := p.c.values[p.c.at(i, column):][:width]
		for j := range c {
			c[j] *= p.beta
		}
	}
}

// tile computes this many rows and columns of C for depth values of p, and adds them to C if add is
// true, else sets them.
func (p *product) tile(packed *panel, row, rows, column, width, from, depth int, add bool) {
	c := p.c.values[p.c.at(row, column):]
	full := p.kernel.columns
	if width == full {
		p.sums(packed, row, rows, from, depth, c, p.c.distance, add)
		return
	}
	var part [maxRows * maxColumns]float32
	p.sums(packed, row, rows, from, depth, part[:], full, false)
	for i := range rows {
		values, sums := c[i*p.c.distance:][:width], part[i*full:][:width]
		for j, s := range sums {
			if add {
				s += values[j]
			}
			values[j] = s
		}
	}
}

// pack fills a panel with depth rows of B, from row from on, and their columns from column on:
// packed[i*kernel.columns+j] = B[from+i, column+j] for j < width, and 0 for j >= width.
func (p *product) pack(packed *panel, from, depth, column, width int) {
	full := p.kernel.columns
	if width < full {
		clear(packed[:depth*full])
	}
	values := p.b.values[p.b.at(from, column):]
	if p.b.transposed {
		packColumns(packed, full, values, p.b.distance, depth, width)
		return
	}
	for i := range depth {
		copy(packed[i*full:], values[i*p.b.distance:][:width])
	}
}

// packColumns is like pack, for a transposed B, where column j begins at values[j*distance]. full is the
// number of columns of the panel.
func packColumns(packed *panel, full int, values []float32, distance, depth, width int) {
	whole := depth / 8 * 8
	column := 0
	for ; column+8 <= width && whole > 0; column += 8 {
		first := values[column*distance:]
		_ = first[7*distance+whole-1]
		transpose8(&packed[column], full*floatBytes, &first[0], distance*floatBytes, whole/8)
		packRest(packed, full, values, distance, column, column+8, whole, depth)
	}
	packRest(packed, full, values, distance, column, width, 0, depth)
}

// packRest packs the rows [from, to) of the columns [first, last) without vector instructions.
func packRest(packed *panel, full int, values []float32, distance, first, last, from, to int) {
	for j := first; j < last; j++ {
		for i, v := range values[j*distance+from : j*distance+to] {
			packed[(from+i)*full+j] = v
		}
	}
}
