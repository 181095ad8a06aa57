// Command _generate writes the assembly of package gemm. go generate ./internal/gemm runs it. It is
// a module of its own, so that the main module does not depend on avo.
package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	float  = 4         // bytes of a float32
	vector = 8 * float // bytes of an AVX2 vector
)

func main() {
	ConstraintExpr("!purego")
	avx2 := kernel{name: "AVX2", bytes: vector, rows: 6, register: YMM}
	avx2.zero = func(x Op) { VXORPS(x, x, x) }
	avx2.write()
	avx512 := kernel{name: "AVX512", bytes: 64, rows: 12, register: ZMM}
	avx512.zero = func(x Op) { VPXORD(x, x, x) } // VXORPS needs AVX512DQ
	avx512.write()
	transpose()
	adam()
	Generate()
}

// kernel is a way to multiply a few rows of a by a panel of b. AVX2 has 16 registers: 12 are for
// the sums, two for b, one for a. AVX-512 has 32, of which it uses 24, 2 and 1.
type kernel struct {
	name     string
	bytes    int // of a vector
	rows     int // of a tile, at most
	register func() reg.VecVirtual
	zero     func(x Op)
}

const tileVectors = 2 // of a row of a tile

// write writes the function of the kernel, which has a loop for each number of rows that
// kernel.tileRows of package gemm returns: all of a tile, and smaller powers of two.
func (v kernel) write() {
	TEXT("tile"+v.name, NOSPLIT, "func(rows, k int, a *float32, strides *[3]int, b, c *float32, "+
		"alpha float32, add bool)")
	Doc(fmt.Sprintf("tile%s is product.sums for %d rows or a power of two below. strides are the",
		v.name, v.rows),
		"bytes from row to row of a, from column to column of a, and from row to row of c.")
	Pragma("noescape")
	rows := Load(Param("rows"), GP64())
	heights := []int{v.rows}
	for n := 1 << (bits.Len(uint(v.rows-1)) - 1); n >= 1; n /= 2 {
		CMPQ(rows, Imm(uint64(n)))
		JE(LabelRef(fmt.Sprintf("rows%d", n)))
		heights = append(heights, n)
	}
	for _, n := range heights {
		Label(fmt.Sprintf("rows%d", n))
		v.tile(n)
	}
}

// stride loads one of the strides.
func stride(number int) reg.Register {
	r := GP64()
	MOVQ(Mem{Base: Load(Param("strides"), GP64()), Disp: 8 * number}, r)
	return r
}

// tile writes the code for the product of this many rows of a and one panel of b.
func (v kernel) tile(rows int) {
	k := Load(Param("k"), GP64())
	aStep := stride(1)
	panel := Load(Param("b"), GP64())
	a := v.newRows(rows, Load(Param("a"), GP64()), stride(0))

	sums := make([][tileVectors]reg.VecVirtual, rows)
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = v.register()
			v.zero(sums[i][j])
		}
	}
	loop := fmt.Sprintf("loop%d", rows)
	Label(loop)
	var b [tileVectors]reg.VecVirtual
	for j := range b {
		b[j] = v.register()
		VMOVUPS(Mem{Base: panel, Disp: j * v.bytes}, b[j])
	}
	for i := range sums {
		factor := v.register()
		VBROADCASTSS(a.at(i, 0), factor)
		for j := range b {
			VFMADD231PS(b[j], factor, sums[i][j])
		}
	}
	a.advance(aStep)
	ADDQ(U32(tileVectors*v.bytes), panel)
	DECQ(k)
	JNE(LabelRef(loop))
	v.store(rows, sums)
}

// store writes the end of tile, which sets c = alpha·sums or c += alpha·sums.
func (v kernel) store(rows int, sums [][tileVectors]reg.VecVirtual) {
	alpha := v.register()
	address, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, alpha)
	for i := range sums {
		for j := range sums[i] {
			VMULPS(alpha, sums[i][j], sums[i][j])
		}
	}
	c := v.newRows(rows, Load(Param("c"), GP64()), stride(2))
	add := Load(Param("add"), GP8())
	store := fmt.Sprintf("store%d", rows)
	TESTB(add, add)
	JE(LabelRef(store))
	for i := range sums {
		for j := range sums[i] {
			VADDPS(c.at(i, j), sums[i][j], sums[i][j])
		}
	}
	Label(store)
	for i := range sums {
		for j := range sums[i] {
			VMOVUPS(sums[i][j], c.at(i, j))
		}
	}
	VZEROUPPER()
	RET()
}

// rowAddresses computes the addresses of rows at equal distances.
type rowAddresses struct {
	base     []reg.Register // of rows 0, 3, 6, 9
	distance reg.Register
	bytes    int // of a vector
}

func (v kernel) newRows(rows int, first, distance reg.Register) rowAddresses {
	a := rowAddresses{[]reg.Register{first}, distance, v.bytes}
	for row := 3; row < rows; row += 3 {
		next := GP64()
		LEAQ(Mem{Base: a.base[len(a.base)-1], Index: distance, Scale: 2}, next)
		ADDQ(distance, next)
		a.base = append(a.base, next)
	}
	return a
}

// at returns the address of a vector of a row.
func (a rowAddresses) at(row, vectors int) Mem {
	m := Mem{Base: a.base[row/3], Disp: vectors * a.bytes}
	if row%3 > 0 {
		m.Index, m.Scale = a.distance, uint8(row%3)
	}
	return m
}

func (a rowAddresses) advance(step reg.Register) {
	for _, base := range a.base {
		ADDQ(step, base)
	}
}
