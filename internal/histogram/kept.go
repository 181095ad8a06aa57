package histogram

import (
	"encoding/binary"

	"github.com/lambdamart/lambdamart/dataset"
)

// keptRows are rows with packed values, in pages of memory. A page holds complete rows, one after another:
//
//	bytes   8            4                4                 …       …
//	      │ row number │ len(kinds)     │ len(bytes)      │ kinds │ bytes │   next row …
type keptRows struct {
	pages   [][]byte // each with at least packedPadding bytes of capacity behind its rows
	free    [][]byte // emptied pages
	rows    int
	values  int          // that were added since grown was last 0
	grown   int          // bytes of new pages, until [sampler.grow] counts them
	packing packedValues // memory for the row that is being added
}

const (
	keptHeader = 8 + 4 + 4
	// keptPage is the number of bytes of a page, unless a single row needs more.
	keptPage = 1 << 19
)

// add keeps a row.
func (k *keptRows) add(row dataset.Row) {
	p := &k.packing
	p.pack(row.Feature, row.Value)
	page := k.roomFor(keptHeader + len(p.kinds) + len(p.bytes) + packedPadding)
	b := binary.LittleEndian.AppendUint64(*page, uint64(row.Number))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.kinds)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.bytes)))
	b = append(b, p.kinds...)
	*page = append(b, p.bytes...)
	k.rows++
	k.values += len(p.kinds)
}

// roomFor returns a page with room for this many more bytes.
func (k *keptRows) roomFor(size int) *[]byte {
	if n := len(k.pages); n > 0 && cap(k.pages[n-1])-len(k.pages[n-1]) >= size {
		return &k.pages[n-1]
	}
	if n := len(k.free); n > 0 && cap(k.free[n-1]) >= size {
		k.pages, k.free = append(k.pages, k.free[n-1]), k.free[:n-1]
	} else {
		size = max(keptPage, size)
		k.pages = append(k.pages, make([]byte, 0, size))
		k.grown += size
	}
	return &k.pages[len(k.pages)-1]
}

// drop removes the rows for which keep returns false. It reuses emptied pages, so it needs memory for only
// one more page.
func (k *keptRows) drop(keep func(row int) bool) {
	all := k.pages
	k.pages, k.rows = nil, 0
	for _, page := range all {
		for rest := page; len(rest) > 0; {
			row, _, end := readRow(rest)
			if keep(row) {
				to := k.roomFor(end + packedPadding)
				*to = append(*to, rest[:end]...)
				k.rows++
			}
			rest = rest[end:]
		}
		k.free = append(k.free, page[:0])
	}
}

// eachPacked visits the rows of a page.
func eachPacked(page []byte, visit func(row int, p packedValues)) {
	for len(page) > 0 {
		row, p, end := readRow(page)
		visit(row, p)
		page = page[end:]
	}
}

// readRow returns the first row of a page, and the place where it ends.
func readRow(page []byte) (row int, p packedValues, end int) {
	row = int(binary.LittleEndian.Uint64(page))
	middle := keptHeader + int(binary.LittleEndian.Uint32(page[8:]))
	end = middle + int(binary.LittleEndian.Uint32(page[12:]))
	return row, packedValues{page[keptHeader:middle], page[middle:end]}, end
}
