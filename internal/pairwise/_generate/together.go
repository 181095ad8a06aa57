package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes       = 8
	togetherMax = 32 // documents of a query that is summed together with others
	// distance between the fields; the additional block keeps the same rank of two fields out of the same set
	// of a cache
	togetherStride = (togetherMax + 1) * block
)

// together writes a function that adds all pairs of eight queries, each in a lane of its own. A document is
// paired with the later ones lane by lane of the order of additions (package pairwise), so that no sum has
// to be added up across a register.
func together(signless Mem) {
	TEXT("addTogetherAVX512", NOSPLIT, "func(values *float64, documents, ranks int, offsets, sums *float64)")
	Doc("addTogetherAVX512 adds all pairs of eight queries. The sums of |x| are added to sums.")
	Pragma("noescape")
	k := kernel{register: ZMM, and: VPANDQ_BCST}
	values, end, to := argument("values"), argument("documents"), argument("ranks")
	offsets, sums := argument("offsets"), argument("sums")
	SHLQ(U8(6), end)
	SHLQ(U8(6), to)
	k.rank, k.place, k.end = GP64(), GP64(), end
	of := func(field int, place reg.Register) Mem {
		return Mem{Base: values, Index: place, Scale: 1, Disp: field * togetherStride}
	}
	k.memory = func(field int) Mem { return of(field, k.place) }
	for _, r := range []*reg.VecVirtual{&k.gain, &k.odds, &k.score, &k.discount, &k.low, &k.high} {
		*r = ZMM()
	}
	sets := make([][4]reg.VecVirtual, 4)
	for i := range sets {
		sets[i] = [4]reg.VecVirtual{ZMM(), ZMM(), ZMM(), ZMM()}
	}
	k.offset, k.signless = Mem{Base: offsets}, signless
	XORQ(k.rank, k.rank)

	Label("document")
	VMOVUPD(of(gain, k.rank), k.gain)
	VMOVUPD(of(odds, k.rank), k.odds)
	VMOVUPD(of(score, k.rank), k.score)
	VMOVUPD(of(discount, k.rank), k.discount)
	own := k.tree([]int{0, 4, 2, 6, 1, 5, 3, 7}, sets)
	t := ZMM()
	VADDPD(own[lambdaAbove], own[lambdaBelow], t)
	k.change(VSUBPD, of(lambda, k.rank), t)
	VSUBPD(own[lambdaAbove], own[lambdaBelow], t)
	k.change(VADDPD, Mem{Base: sums}, t)
	VADDPD(own[hessianAbove], own[hessianBelow], t)
	k.change(VADDPD, of(hessian, k.rank), t)
	ADDQ(U8(block), k.rank)
	CMPQ(k.rank, to)
	JLT(LabelRef("document"))
	VZEROUPPER()
	RET()
}

// tree returns the sums of a document in the first of some sets of registers: those of the first half of the
// lanes and those of the second are added up, each in the same way.
func (k kernel) tree(order []int, sets [][4]reg.VecVirtual) [4]reg.VecVirtual {
	if len(order) == 1 {
		k.lane(order[0], sets[0])
		return sets[0]
	}
	sums := k.tree(order[:len(order)/2], sets)
	for i, other := range k.tree(order[len(order)/2:], sets[1:]) {
		VADDPD(other, sums[i], sums[i])
	}
	return sums
}

// lane sets the sums to those of the pairs with the documents of later ranks in a lane.
func (k kernel) lane(number int, sums [4]reg.VecVirtual) {
	for _, sum := range sums {
		VPXORQ(sum, sum, sum)
	}
	loop, done, next := label("loop", number), label("done", number), GP64()
	MOVQ(k.rank, k.place)
	ANDQ(I32(-lanes*block), k.place)
	ADDQ(I32(number*block), k.place)
	LEAQ(Mem{Base: k.place, Disp: lanes * block}, next)
	CMPQ(k.place, k.rank)
	CMOVQLE(next, k.place)
	CMPQ(k.place, k.end)
	JGE(LabelRef(done))
	Label(loop)
	w, o, both := k.weight()
	below, above := K(), K()
	VCMPPD(greater, k.of(gain), k.gain, below)
	VCMPPD(less, k.of(gain), k.gain, above)
	VBLENDMPD(o, k.odds, below, k.low)
	VBLENDMPD(k.odds, o, below, k.high)
	k.derivatives(w, both, k.low, k.high)
	k.change(VADDPD, k.of(lambda), both)
	k.change(VADDPD, k.of(hessian), w)
	VADDPD(both, sums[lambdaBelow], below, sums[lambdaBelow])
	VADDPD(both, sums[lambdaAbove], above, sums[lambdaAbove])
	VADDPD(w, sums[hessianBelow], below, sums[hessianBelow])
	VADDPD(w, sums[hessianAbove], above, sums[hessianAbove])
	ADDQ(I32(lanes*block), k.place)
	CMPQ(k.place, k.end)
	JLT(LabelRef(loop))
	Label(done)
}

func label(name string, number int) string { return name + string(rune('0'+number)) }

// change adds v to the numbers in memory, or subtracts it.
func (k kernel) change(operation func(...Op), sum Mem, v reg.VecVirtual) {
	t := k.register()
	VMOVUPD(sum, t)
	operation(v, t, t)
	VMOVUPD(t, sum)
}
