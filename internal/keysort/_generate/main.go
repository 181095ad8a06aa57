// Command _generate writes the assembly of package keysort; go generate ./internal/keysort runs it. It
// is a module of its own, so that the product does not depend on avo.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	word   = 8 // bytes of a key
	lanes  = 8 // keys in a vector
	vector = word * lanes
)

func main() {
	ConstraintExpr("!purego")
	n := &network{reversal: words("reversal", 7, 6, 5, 4, 3, 2, 1, 0)}
	n.sort(64)
	n.sort(128)
	n.finish(128)
	n.fold()
	split()
	Generate()
}

// network sorts keys in registers by comparators. A comparator puts the smaller of two keys in the first of
// their two places. Vectors are renamed, not moved.
type network struct {
	reversal Mem
	reversed reg.VecVirtual            // the lanes in reverse order, as numbers
	upper    map[int]reg.OpmaskVirtual // by distance: the lanes whose partner at that distance comes before them
	keys     []reg.VecVirtual
}

// begin begins a function that has this many keys in registers.
func (n *network) begin(name, signature, doc string, keys int) {
	TEXT(name, NOSPLIT, signature)
	Doc(name + " " + doc)
	Pragma("noescape")
	n.reversed = ZMM()
	VMOVDQU64(n.reversal, n.reversed)
	n.keys = make([]reg.VecVirtual, keys/lanes)
}

// masks sets the masks of the distances.
func (n *network) masks() {
	n.upper = map[int]reg.OpmaskVirtual{}
	for i, bits := range []uint64{0b10101010, 0b11001100, 0b11110000} {
		mask, t := K(), GP32()
		MOVL(U32(bits), t)
		KMOVW(t, mask)
		n.upper[1<<i] = mask
	}
}

// sort writes a function that sorts a number of keys: bitonic sort (Batcher, 1968), in the form in which all
// runs ascend.
func (n *network) sort(keys int) {
	n.begin(fmt.Sprintf("sort%d", keys), "func(keys *uint64)", fmt.Sprintf("sorts %d keys.", keys), keys)
	n.masks()
	n.inPlace(func() {
		for run := 2; run <= keys; run *= 2 {
			n.meet(run)
			for distance := run / 4; distance > 0; distance /= 2 {
				n.compare(distance)
			}
		}
	})
}

// finish writes a function that sorts keys that are a bitonic sequence.
func (n *network) finish(keys int) {
	n.begin(fmt.Sprintf("finish%d", keys), "func(keys *uint64)",
		fmt.Sprintf("sorts %d keys that ascend and then descend, or so if read in a circle.", keys), keys)
	n.masks()
	n.inPlace(func() {
		for distance := keys / 2; distance > 0; distance /= 2 {
			n.compare(distance)
		}
	})
}

// inPlace loads the keys, works on them, and stores them.
func (n *network) inPlace(work func()) {
	memory := argument("keys")
	for i := range n.keys {
		n.keys[i] = ZMM()
		VMOVDQU64(Mem{Base: memory, Disp: i * vector}, n.keys[i])
	}
	work()
	for i, z := range n.keys {
		VMOVDQU64(z, Mem{Base: memory, Disp: i * vector})
	}
	VZEROUPPER()
	RET()
}

// meet compares the keys of two neighboring runs, which together have the given number of keys and ascend,
// from both ends: the first with the last, the second with the last but one, …. The larger keys end up in
// reverse order.
func (n *network) meet(run int) {
	if run <= lanes {
		for i := range n.keys {
			n.within(i, run/2, func(from, to reg.VecVirtual) { n.reverse(run, from, to) })
		}
		return
	}
	vectors := run / lanes
	for first := 0; first < len(n.keys); first += vectors {
		for i := range vectors / 2 {
			n.between(first+i, first+vectors-1-i, true)
		}
		later := n.keys[first+vectors/2 : first+vectors]
		for i := range len(later) / 2 {
			later[i], later[len(later)-1-i] = later[len(later)-1-i], later[i]
		}
	}
}

// compare compares each key with the one at a distance.
func (n *network) compare(distance int) {
	if distance < lanes {
		for i := range n.keys {
			n.within(i, distance, func(from, to reg.VecVirtual) { exchange(distance, from, to) })
		}
		return
	}
	step := distance / lanes
	for i := range n.keys {
		if i&step == 0 {
			n.between(i, i+step, false)
		}
	}
}

// within compares the lanes of a vector with those that permute puts in their place. Where the lane's number
// has the bit of upper, the larger one is kept.
func (n *network) within(i, upper int, permute func(from, to reg.VecVirtual)) {
	other, kept := ZMM(), ZMM()
	permute(n.keys[i], other)
	VPMINUQ(n.keys[i], other, kept)
	VPMAXUQ(n.keys[i], other, n.upper[upper], kept)
	n.keys[i] = kept
}

// between compares the lanes of two vectors, those of the second perhaps in reverse order.
func (n *network) between(i, j int, reverse bool) {
	if reverse {
		n.reverse(lanes, n.keys[j], n.keys[j])
	}
	less := ZMM()
	VPMINUQ(n.keys[i], n.keys[j], less)
	VPMAXUQ(n.keys[i], n.keys[j], n.keys[j])
	n.keys[i] = less
}

// reverse reverses the order of the lanes within each run of lanes.
func (n *network) reverse(run int, from, to reg.VecVirtual) {
	switch run {
	case 2:
		exchange(1, from, to)
	case 4:
		VPERMQ(U8(0b00_01_10_11), from, to)
	default:
		VPERMQ(from, n.reversed, to)
	}
}

// exchange exchanges each lane with the one at a distance.
func exchange(distance int, from, to reg.VecVirtual) {
	switch distance {
	case 1:
		VPERMILPD(U8(0b01010101), from, to)
	case 2:
		VPERMQ(U8(0b01_00_11_10), from, to)
	case 4:
		VSHUFI64X2(U8(0b01_00_11_10), from, from, to)
	}
}

// fold writes a function that does what meet does for two runs in memory: low and high, of n keys each.
func (n *network) fold() {
	n.begin("fold", "func(low, high *uint64, n int)",
		"compares the keys of two ascending runs of n keys from both ends.\n// The smaller ones get into low "+
			"and the larger ones into high. Both are then bitonic sequences.\n// n is a multiple of 16.", 4*lanes)
	low, high, end, far := argument("low"), argument("high"), argument("n"), GP64()
	LEAQ(Mem{Base: low, Index: end, Scale: word, Disp: -vector}, end) // the last vector of low
	MOVQ(high, far)
	SUBQ(low, far) // from low to high
	Label("vectors")
	places := []Mem{
		{Base: low}, {Base: end}, {Base: low, Index: far, Scale: 1}, {Base: end, Index: far, Scale: 1},
	}
	for i, place := range places {
		n.keys[i] = ZMM()
		VMOVDQU64(place, n.keys[i])
	}
	n.between(0, 3, true)
	n.between(1, 2, true)
	n.keys[2], n.keys[3] = n.keys[3], n.keys[2]
	for i, place := range places {
		VMOVDQU64(n.keys[i], place)
	}
	ADDQ(U8(vector), low)
	SUBQ(U8(vector), end)
	CMPQ(low, end)
	JLT(LabelRef("vectors"))
	VZEROUPPER()
	RET()
}

// split writes a function that does what compare does for keys in memory.
func split() {
	TEXT("split", NOSPLIT, "func(low, high *uint64, n int)")
	Doc("split compares n keys with n others. The smaller ones get into low, and the larger ones into high.",
		"n is a multiple of 8.")
	Pragma("noescape")
	low, high, n := argument("low"), argument("high"), argument("n")
	Label("vectors")
	a, b, less := ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: low}, a)
	VMOVDQU64(Mem{Base: high}, b)
	VPMINUQ(a, b, less)
	VPMAXUQ(a, b, b)
	VMOVDQU64(less, Mem{Base: low})
	VMOVDQU64(b, Mem{Base: high})
	ADDQ(U8(vector), low)
	ADDQ(U8(vector), high)
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("vectors"))
	VZEROUPPER()
	RET()
}

func words(name string, values ...uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range values {
		DATA(i*word, U64(v))
	}
	return m
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
