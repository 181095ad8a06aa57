package histogram

import (
	"encoding/binary"

	"github.com/lambdamart/lambdamart/dataset"
)

// keptRows are rows in the packed form, in pages.
//
// Of each row there are its number and the length of its values in bytes, in 8 and
// 4 bytes, and its values.
type keptRows struct {
	pages   [][]byte // whole rows each, with packedPadding bytes of capacity behind them
	free    [][]byte // emptied pages
	rows    int
	packing []byte // a row before it goes to a page
}

const (
	keptHeader = 8 + 4
	// keptPage is the capacity of a page, unless a single row needs more.
	keptPage = 1 << 19
)

// add keeps a row.
func (k *keptRows) add(row dataset.Row) {
	var header [keptHeader]byte
	packed := packValues(append(k.packing[:0], header[:]...), row.Feature, row.Value)
	binary.LittleEndian.PutUint64(packed, uint64(row.Number))
	binary.LittleEndian.PutUint32(packed[8:], uint32(len(packed)-keptHeader))
	k.packing = packed
	k.append(packed)
}

func (k *keptRows) append(packed []byte) {
	page := k.roomFor(len(packed) + packedPadding)
	*page = append(*page, packed...)
	k.rows++
}

// roomFor returns a page that takes so many more bytes.
func (k *keptRows) roomFor(size int) *[]byte {
	if n := len(k.pages); n > 0 && cap(k.pages[n-1])-len(k.pages[n-1]) >= size {
		return &k.pages[n-1]
	}
	if n := len(k.free); n > 0 && cap(k.free[n-1]) >= size {
		k.pages, k.free = append(k.pages, k.free[n-1]), k.free[:n-1]
	} else {
		k.pages = append(k.pages, make([]byte, 0, max(keptPage, size)))
	}
	return &k.pages[len(k.pages)-1]
}

// drop removes the rows that keep does not name. Emptied pages are filled again, so
// that it takes no memory but for one of them.
func (k *keptRows) drop(keep func(row int) bool) {
	all := k.pages
	k.pages, k.rows = nil, 0
	for _, page := range all {
		for rest := page; len(rest) > 0; {
			row, size := readHeader(rest)
			if keep(row) {
				k.append(rest[:keptHeader+size])
			}
			rest = rest[keptHeader+size:]
		}
		k.free = append(k.free, page[:0])
	}
}

// eachPacked visits the rows of a page.
func eachPacked(page []byte, visit func(row int, packed []byte)) {
	for len(page) > 0 {
		row, size := readHeader(page)
		visit(row, page[keptHeader:][:size])
		page = page[keptHeader+size:]
	}
}

// readHeader returns the number of the row with which a page begins, and the bytes
// of its values.
func readHeader(page []byte) (row, size int) {
	return int(binary.LittleEndian.Uint64(page)), int(binary.LittleEndian.Uint32(page[8:]))
}
