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

	// Offsets of the numbers of a task.
	taskOffset, taskLastGain, taskSum, taskEnd = 0, float, 2 * float, 3 * float
	taskLastEnd, taskRank, taskTo, taskSums    = 4 * float, 5 * float, 6 * float, 7 * float
)

// Order of the sums of a document. Each takes a block.
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
	together(signless)
	function(signless, kernel{name: "AVX2", register: YMM, and: vpand}).avx2()
	togetherInHalves(signless)
	rank()
	Generate()
}

func vpand(ops ...Op) { VPAND(ops[0], ops[1], ops[2]) }

// kernel adds the pairs of one document after the other with the documents of later ranks. The numbers of
// the one are in registers.
type kernel struct {
	name     string
	register func() reg.VecVirtual
	and      func(...Op)

	memory    func(field int) Mem // numbers of a field in the current block
	fields    [numFields]reg.GPVirtual
	task, own reg.GPVirtual
	// the document, the current block, and the end of the blocks, in bytes from the begin of each field
	rank, place, end            reg.GPVirtual
	gain, odds, score, discount reg.VecVirtual
	low, high                   reg.VecVirtual // odds of the documents of pairs, for lanes of several queries
	offset, signless            Op
}

// function begins the function of a kernel.
func function(signless Mem, k kernel) kernel {
	TEXT("add"+k.name, NOSPLIT, "func(values *float64, stride int, own, task *float64)")
	Doc("add" + k.name + " adds the pairs of a task, and writes own sums of lambdas and of Hessians by rank.")
	Pragma("noescape")
	k.own, k.task = argument("own"), argument("task")
	k.rank, k.place, k.end = GP64(), GP64(), GP64()
	k.fields[0] = argument("values")
	stride := argument("stride")
	for i := 1; i < numFields; i++ {
		k.fields[i] = GP64()
		LEAQ(Mem{Base: k.fields[i-1], Index: stride, Scale: float}, k.fields[i])
	}
	for _, r := range []*reg.VecVirtual{&k.gain, &k.odds, &k.score, &k.discount} {
		*r = k.register()
	}
	offset, bits := k.register(), k.register()
	k.offset, k.signless = offset, bits
	k.memory = func(field int) Mem { return Mem{Base: k.fields[field], Index: k.place, Scale: 1} }
	VBROADCASTSD(at(k.task, taskOffset), offset)
	VBROADCASTSD(signless, bits)
	MOVQ(at(k.task, taskRank), k.rank)
	return k
}

// begin begins the loop over the documents. A document that has the gain of the last document makes no pair
// with documents after the last rank that has another gain.
func (k kernel) begin() {
	Label("document")
	for field, r := range []reg.VecVirtual{gain: k.gain, odds: k.odds, score: k.score, discount: k.discount} {
		VBROADCASTSD(Mem{Base: k.fields[field], Index: k.rank, Scale: 1}, r)
	}
	MOVQ(at(k.task, taskEnd), k.end)
	last := XMM()
	VMOVSD(at(k.task, taskLastGain), last)
	VUCOMISD(last, k.gain.AsX())
	JNE(LabelRef("blocks"))
	MOVQ(at(k.task, taskLastEnd), k.end)
	Label("blocks")
}

// conclude adds up the sums of a document, and goes on with the next one.
func (k kernel) conclude(sum func(field int) reg.VecVirtual) {
	below, above := total(sum(lambdaBelow)), total(sum(lambdaAbove))
	both, t := XMM(), XMM()
	VADDSD(above, below, both)
	VMOVSD(both, Mem{Base: k.own, Index: k.rank, Scale: 2})
	VSUBSD(above, below, t)
	VADDSD(at(k.task, taskSum), t, t)
	VMOVSD(t, at(k.task, taskSum))
	below, above = total(sum(hessianBelow)), total(sum(hessianAbove))
	VADDSD(above, below, both)
	VMOVSD(both, Mem{Base: k.own, Index: k.rank, Scale: 2, Disp: float})
	ADDQ(U8(float), k.rank)
	CMPQ(k.rank, at(k.task, taskTo))
	JLT(LabelRef("document"))
	VZEROUPPER()
	RET()
}

// total returns (x0 + x2) + (x1 + x3).
func total(x reg.VecVirtual) reg.Register {
	high, sum := XMM(), XMM()
	VEXTRACTF128(U8(1), x, high)
	VADDPD(high, x.AsX(), sum)
	VPERMILPD(U8(1), sum, high)
	VADDSD(high, sum, sum)
	return sum
}

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// of returns the numbers of a field in the current block.
func (k kernel) of(field int) Mem { return k.memory(field) }

// next jumps to the beginning of the loop for the next block, if there is one.
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
	VADDPD(k.offset, gap, gap)
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
