// Command _generate writes the assembly of package bincut; go generate ./internal/bincut runs it. It
// is a module of its own, so that the product does not depend on avo.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const word = 8 // bytes of a float64 and of a packed sum

// Offsets of the fields of a leaf, a Span and a Cut.
const (
	gradient, hessian, lambdaL1, lambdaL2 = 0, word, 2 * word, 3 * word
	minHessian, floor                     = 4 * word, 5 * word
	leastHessian, spanHessian             = 6 * word, 7 * word
	spanFrom, spanTo, spanSize            = 0, word / 2, word
	cutGain, cutRight, cutBin, cutSize    = 0, word, 2 * word, 3 * word
)

// Predicates of VCMPPD that are false for NaN and raise no exception.
const (
	equal          = U8(0x00)
	greater        = U8(0x1e)
	greaterOrEqual = U8(0x1d)
)

// lessOrEqual is a predicate of VPCMPUQ.
const lessOrEqual = U8(2)

const (
	gradientAt = U8(32)                // first bit of the gradient in a packed sum
	shift      = 0x4330_0000_0000_0000 // 2^52 as a float64: with the bits of an integer below 2^32, their sum
	signed     = shift + 1<<31         // the same for signed integers, whose sign bit is inverted
)

func main() {
	ConstraintExpr("!purego")
	t := newTables()
	for _, k := range ties {
		newKernel("AVX512", k, 8, t).avx512()
		newKernel("AVX2", k, 4, t).avx2()
	}
	Generate()
}

// tie selects which of the bins with equal gains is kept.
type tie struct {
	name    string
	than    U8          // how a gain compares with that of a later bin if it is kept
	none    float64     // the number of no bin: it is replaced by any bin
	nearest func(...Op) // selects which of two bins is kept; they are float64s

	nearest512 func(...Op) // the same for integers
}

var ties = []tie{
	{"last", greater, -1, func(ops ...Op) { VMAXPD(ops...) }, func(ops ...Op) { VPMAXSQ(ops...) }},
	{"first", greaterOrEqual, 1 << 20, func(ops ...Op) { VMINPD(ops...) }, func(ops ...Op) { VPMINSQ(ops...) }},
}

// tables are constants in memory.
type tables struct {
	places   Mem            // 0, 1, …, 7
	none     map[string]Mem // by the name of a tie
	hessian  Mem            // the bits of a Hessian
	signless Mem            // all bits but the sign

	places512 Mem // places as integers
	step512   Mem // 8
	none512   map[string]Mem
	upper     Mem // 4
	step2     Mem // 4, in each lane
	shift     Mem // in each lane
	signed    Mem // in each lane
	valid     Mem // no bit in four lanes, then all bits in four
}

func newTables() tables {
	t := tables{
		places:    table("places", 0, 1, 2, 3, 4, 5, 6, 7),
		none:      map[string]Mem{},
		hessian:   words("hessian", 1<<32-1),
		signless:  words("signless", 1<<63-1),
		none512:   map[string]Mem{},
		places512: words("places512", 0, 1, 2, 3, 4, 5, 6, 7),
		step512:   words("step512", 8),
		upper:     words("upper", 4),
		step2:     table("step2", 4, 4, 4, 4),
		shift:     words("shift", shift, shift, shift, shift),
		signed:    words("signed", signed, signed, signed, signed),
		valid:     words("valid", 0, 0, 0, 0, 1<<64-1, 1<<64-1, 1<<64-1, 1<<64-1),
	}
	for _, k := range ties {
		t.none[k.name] = table("none_"+k.name, k.none)
		t.none512[k.name] = words("none512_"+k.name, uint64(int64(k.none)))
	}
	return t
}

// table places float64s in memory. F64 of avo would write whole numbers as integers.
func table(name string, values ...float64) Mem {
	bits := make([]uint64, len(values))
	for i, v := range values {
		bits[i] = math.Float64bits(v)
	}
	return words(name, bits...)
}

func words(name string, values ...uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range values {
		DATA(i*word, U64(v))
	}
	return m
}

// kernel finds the cuts of columns. It goes over the bins of a column from the right, one vector at a time.
// The bins at the left end of a column that do not fill a vector are in its last lanes; the sums of the other
// lanes are 0.
type kernel struct {
	tie tie
	tables
	width int // lanes

	leaf, sums, spans, cuts, left reg.GPVirtual // left: columns that are not done
	at, first                     reg.GPVirtual // the current bins; the first bin of the column
}

// newKernel begins the function of a kernel.
func newKernel(name string, t tie, width int, constants tables) *kernel {
	TEXT(t.name+name, NOSPLIT, "func(cuts *float64, sums *int64, spans *int32, n int, leaf *float64)")
	Doc(t.name + name + " finds the cuts of n columns. Of equal gains the " + t.name + " bin is kept.")
	Pragma("noescape")
	k := &kernel{tie: t, tables: constants, width: width}
	k.cuts, k.sums, k.spans = argument("cuts"), argument("sums"), argument("spans")
	k.left, k.leaf = argument("n"), argument("leaf")
	k.at, k.first = GP64(), GP64()
	return k
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// enter reads where the column's bins are, and returns what the first lane of their last vector stands
// for: the cut after the bin left of it.
func (k *kernel) enter() reg.GPVirtual {
	n := GP64()
	MOVLQSX(at(k.spans, spanFrom), k.first)
	MOVLQSX(at(k.spans, spanTo), k.at)
	MOVQ(k.at, n)
	SUBQ(k.first, n)
	SUBQ(U8(k.width+1), n)
	LEAQ(Mem{Base: k.sums, Index: k.first, Scale: word}, k.first)
	LEAQ(Mem{Base: k.sums, Index: k.at, Scale: word, Disp: -word * k.width}, k.at)
	return n
}

// remaining jumps to a label if the column has bins for all lanes, and otherwise returns how many lanes
// it has bins for.
func (k *kernel) remaining(whole string) reg.GPVirtual {
	n := GP64()
	CMPQ(k.at, k.first)
	JGE(LabelRef(whole))
	MOVQ(k.at, n)
	SUBQ(k.first, n)
	SARQ(U8(3), n)
	ADDQ(U8(k.width), n)
	return n
}

// next jumps to the beginning of the loop for the next bins, if the column has any.
func (k *kernel) next(loop string) {
	SUBQ(U8(word*k.width), k.at)
	limit := GP64()
	LEAQ(Mem{Base: k.at, Disp: word * k.width}, limit)
	CMPQ(limit, k.first)
	JGT(LabelRef(loop))
}

// leave writes the cut of a column and jumps to the beginning of the loop for the next column, if there is
// one.
func (k *kernel) leave(gain, bin, right reg.Register, loop string) {
	VMOVSD(gain, at(k.cuts, cutGain))
	VMOVQ(right, at(k.cuts, cutRight))
	MOVL(bin, at(k.cuts, cutBin))
	MOVL(U32(0), at(k.cuts, cutBin+word/2))
	ADDQ(U8(cutSize), k.cuts)
	ADDQ(U8(spanSize), k.spans)
	DECQ(k.left)
	JNZ(LabelRef(loop))
}

// gains computes
//
//	(gl²·hr + gr²·hl) / (hl·hr)
//
// and returns it in hr. It overwrites its arguments.
func gains(gl, hl, gr, hr reg.VecVirtual) {
	VMULPD(gl, gl, gl)
	VMULPD(gr, gr, gr)
	VMULPD(hr, gl, gl)
	VMULPD(hl, gr, gr)
	VMULPD(hl, hr, hr)
	VADDPD(gr, gl, gl)
	VDIVPD(hr, gl, hr)
}
