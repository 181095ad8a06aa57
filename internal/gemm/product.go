package gemm

import "github.com/lambdamart/lambdamart/internal/par"

// The sizes that a product is divided by. Only depthBlock is seen in a result.
const (
	depthBlock  = 256     // a packed panel takes 16 or 32 KB: it stays in the first-level cache
	rowBlock    = 192     // so many rows of A by depthBlock take 192 KB: they stay in the second
	serialBelow = 1 << 18 // multiplications, some microseconds: less than waking workers
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

// panel is a block of B: its rows one after the other, each filled up with zeros to
// the columns of the kernel.
type panel [depthBlock * maxColumns]float32

// multiply divides C into blocks of rows and of columns, each a task that no other
// writes to.
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
	shared := *p // a copy, so that p stays on the stack of those without a pool
	pool.Run(rows*columns, func(_, i int) {
		var packed panel
		shared.block(&packed, i/columns*rowBlock, i%columns*width)
	})
}

// block finds up to rowBlock rows of up to kernel.columns columns. It uses packed.
func (p *product) block(packed *panel, row, column int) {
	last := min(row+rowBlock, p.m)
	width := min(p.kernel.columns, p.n-column)
	p.scale(row, last, column, width)
	for from := 0; from < p.k; from += depthBlock {
		depth := min(depthBlock, p.k-from)
		p.pack(packed, from, depth, column, width)
		add := from > 0 || p.beta != 0
		for i := row; i < last; i += p.kernel.rows {
			p.tile(packed, i, min(p.kernel.rows, last-i), column, width, from, depth, add)
		}
	}
}

// scale multiplies a block of C by beta, unless that is 0, when C is not read.
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

// tile adds to so many rows and columns of C, or sets them.
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
