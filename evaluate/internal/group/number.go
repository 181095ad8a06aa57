package group

import "unsafe"

// numbers assigns a number to every id, in the order of their first rows.
//
// If rows are not ordered, the id of each row is looked up. Readers of columns return an id that occurs again
// at the same address. Therefore an id is first looked up by its address, which is much faster than a map of
// texts.
type numbers struct {
	byText  map[string]uint32
	byPlace []placed // by a hash of the address; each entry is the last text with that hash
	bits    int      // binary logarithm of len(byPlace)
	ids     []string // by number
}

// placed is a text that was looked up. Its pointer keeps the text's memory alive, so no other text can have
// that address.
type placed struct {
	text   *byte
	length uint32
	number uint32
}

// The smallest and the largest value of numbers.bits. Until the largest is reached, byPlace has at least four
// entries for each id.
const (
	leastPlaces = 10
	mostPlaces  = 20
)

func newNumbers() numbers {
	n := numbers{byText: map[string]uint32{}}
	n.remember(leastPlaces)
	return n
}

// remember makes room for 2^bits addresses, all empty.
func (n *numbers) remember(bits int) {
	n.bits, n.byPlace = bits, make([]placed, 1<<bits)
}

// of returns the number of an id.
func (n *numbers) of(id string) uint32 {
	text := unsafe.StringData(id)
	// Fibonacci hashing: D. Knuth, The Art of Computer Programming 3, 6.4.
	p := &n.byPlace[uint64(uintptr(unsafe.Pointer(text)))*0x9e3779b97f4a7c15>>(64-n.bits)]
	if p.text == text && p.length == uint32(len(id)) && text != nil {
		return p.number
	}
	number, known := n.byText[id]
	if !known {
		number = uint32(len(n.ids))
		n.byText[id] = number
		n.ids = append(n.ids, id)
		if 4*len(n.ids) > len(n.byPlace) && n.bits < mostPlaces {
			n.remember(n.bits + 1)
			return number
		}
	}
	*p = placed{text, uint32(len(id)), number}
	return number
}
