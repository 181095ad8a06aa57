package gemm

import "github.com/lambdamart/lambdamart/internal/par"

// The sizes that a product is divided by. Only depthBlock is seen in a result.
const (
	tileRows    = 6       // with two vectors a row, 12 sums in 16 registers
	tileColumns = 16      // two vectors of 8
	depthBlock  = 256     // a packed panel takes 16 KB, half of the first-level cache
	rowBlock    = 192     // so many rows of A by depthBlock take 192 KB, less than the second
	serialBelow = 1 << 18 // multiplications, some microseconds: less than waking workers
)

// product is C = alpha·A·B + beta·C; A is m×k, B is k×n.
type product struct {
	m, n, k     int
	alpha, beta float32
	a, b, c     operand
}

// panel is a block of B, its rows one after the other and filled up with zeros.
type panel [depthBlock * tileColumns]float32

// multiply divides C into blocks of rows and of columns, each a task that no other
// writes to.
func (p *product) multiply(pool *par.Pool) {
	rows := (p.m + rowBlock - 1) / rowBlock
	columns := (p.n + tileColumns - 1) / tileColumns
	if pool == nil || rows*columns == 1 || p.m*p.n*p.k < serialBelow {
		for i := range rows * columns {
			p.block(i/columns*rowBlock, i%columns*tileColumns)
		}
		return
	}
	shared := *p // a copy, so that p stays on the stack of those without a pool
	pool.Run(rows*columns, func(_, i int) {
		shared.block(i/columns*rowBlock, i%columns*tileColumns)
	})
}

// block finds up to rowBlock rows of up to tileColumns columns.
func (p *product) block(row, column int) {
	var packed panel
	last := min(row+rowBlock, p.m)
	width := min(tileColumns, p.n-column)
	p.scale(row, last, column, width)
	for from := 0; from < p.k; from += depthBlock {
		depth := min(depthBlock, p.k-from)
		p.pack(&packed, from, depth, column, width)
		add := from > 0 || p.beta != 0
		for i := row; i < last; i += tileRows {
			p.tile(&packed, i, min(tileRows, last-i), column, width, from, depth, add)
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
	if width == tileColumns {
		p.kernel(packed, row, rows, from, depth, c, p.c.distance, add)
		return
	}
	var part [tileRows * tileColumns]float32
	p.kernel(packed, row, rows, from, depth, part[:], tileColumns, false)
	for i := range rows {
		values, sums := c[i*p.c.distance:][:width], part[i*tileColumns:][:width]
		for j, s := range sums {
			if add {
				s += values[j]
			}
			values[j] = s
		}
	}
}
