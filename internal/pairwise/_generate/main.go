// Command _generate writes the assembly of package pairwise; go generate ./internal/pairwise runs it.
// It is a module of its own, so that the product does not depend on avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	float = 8
	block = 8 * float // a number for each of 8 lanes

	// Offsets of the numbers of an own.
	ownGain, ownOdds, ownScore, ownDiscount, ownOffset, ownSums = 0, float, 2 * float, 3 * float, 4 * float, 5 * float
)

// Order of the sums in an own. Each takes a block.
const (
	lambdaBelow = iota
	lambdaAbove
	hessianBelow
	hessianAbove
)

// Fields of documents, in the order in which they follow each other.
const (
	gain = iota
	odds
	score
	discount
	lambda
	hessian
	numFields
)

// Predicates of VCMPPD that are false for NaN and raise no exception.
const (
	greater = U8(0x1e)
	less    = U8(0x11)
)

func main() {
	ConstraintExpr("!purego")
	signless := GLOBL("signless", RODATA|NOPTR)
	DATA(0, U64(1<<63-1))
	function(signless, kernel{name: "AVX512", register: ZMM, and: VPANDQ}).avx512() // VANDPD needs AVX512DQ
	function(signless, kernel{name: "AVX2", register: YMM, and: vpand}).avx2()
	Generate()
}

func vpand(ops ...Op) { VPAND(ops[0], ops[1], ops[2]) }

// kernel adds the pairs of one document, whose numbers are in registers.
type kernel struct {
	name     string
	register func() reg.VecVirtual
	and      func(...Op)

	fields                                        [numFields]reg.GPVirtual
	own, place, end                               reg.GPVirtual // place is the current block, in bytes from the begin of each field
	gain, odds, score, discount, offset, signless reg.VecVirtual
}

// function begins the function of a kernel.
func function(signless Mem, k kernel) kernel {
	TEXT("add"+k.name, NOSPLIT, "func(values *float64, stride, blocks int, own *float64)")
	Doc("add" + k.name + " adds the pairs of own to blocks of 8 documents, and writes own's sums.")
	Pragma("noescape")
	k.own, k.place, k.end = argument("own"), GP64(), argument("blocks")
	SHLQ(U8(6), k.end)
	k.fields[0] = argument("values")
	stride := argument("stride")
	for i := 1; i < numFields; i++ {
		k.fields[i] = GP64()
		LEAQ(Mem{Base: k.fields[i-1], Index: stride, Scale: float}, k.fields[i])
	}
	broadcast := func(from Mem) reg.VecVirtual {
		r := k.register()
		VBROADCASTSD(from, r)
		return r
	}
	k.gain, k.odds = broadcast(at(k.own, ownGain)), broadcast(at(k.own, ownOdds))
	k.score, k.discount = broadcast(at(k.own, ownScore)), broadcast(at(k.own, ownDiscount))
	k.offset, k.signless = broadcast(at(k.own, ownOffset)), broadcast(signless)
	return k
}

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// of returns the numbers of a field in the current block.
func (k kernel) of(field int) Mem { return Mem{Base: k.fields[field], Index: k.place, Scale: 1} }

// next jumps to the loop's begin for the next block, if there is one.
func (k kernel) next(loop string) {
	ADDQ(U8(block), k.place)
	CMPQ(k.place, k.end)
	JLT(LabelRef(loop))
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// weight computes, for the documents of the current block, their odds (o), the sum of the odds of both
// documents (both), and
//
//	w = (gain_i - gain)·(discount_i - discount) / ((odds_i + odds)²·(offset + (score_i - score)))
func (k kernel) weight() (w, o, both reg.VecVirtual) {
	w, o, both = k.register(), k.register(), k.register()
	gap, t := k.register(), k.register()
	VMOVUPD(k.of(odds), o)
	VADDPD(o, k.odds, both)
	VSUBPD(k.of(score), k.score, gap)
	VADDPD(gap, k.offset, gap)
	VMULPD(both, both, t)
	VMULPD(gap, t, t)
	VSUBPD(k.of(gain), k.gain, w)
	VSUBPD(k.of(discount), k.discount, gap)
	VMULPD(gap, w, w)
	VDIVPD(t, w, w)
	return w, o, both
}

// derivatives turns w into the pair's Hessian and both into its lambda, given the odds of the document
// of lower gain and of the one of higher gain.
func (k kernel) derivatives(w, both, low, high reg.VecVirtual) {
	VMULPD(low, w, w)
	VMULPD(w, both, both)
	k.and(k.signless, w, w)
	VMULPD(high, w, w)
}
