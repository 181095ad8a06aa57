package group

import "unsafe"

// numbers numbers ids in the order of their first rows.
//
// Readers of columns hand out the same text, in the same memory, for the same id
// over and over. A text is therefore looked up by its place in memory first, which
// takes a fraction of the time: rows in any order need a look-up each.
type numbers struct {
	byText  map[string]uint32
	byPlace []placed // by a hash of the place; each entry the last one seen
	ids     []string // by number
}

// placed is a text that was looked up. It keeps the text's memory alive, so that no
// other text can take its place.
type placed struct {
	text   *byte
	length uint32
	number uint32
}

// placeBits is the logarithm of the number of places that are remembered.
const placeBits = 20

func newNumbers() numbers {
	return numbers{byText: map[string]uint32{}, byPlace: make([]placed, 1<<placeBits)}
}

// of returns the number of an id.
func (n *numbers) of(id string) uint32 {
	text := unsafe.StringData(id)
	// Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4.
	p := &n.byPlace[uint64(uintptr(unsafe.Pointer(text)))*0x9e3779b97f4a7c15>>(64-placeBits)]
	if p.text == text && p.length == uint32(len(id)) && text != nil {
		return p.number
	}
	number, known := n.byText[id]
	if !known {
		number = uint32(len(n.ids))
		n.byText[id] = number
		n.ids = append(n.ids, id)
	}
	*p = placed{text, uint32(len(id)), number}
	return number
}
