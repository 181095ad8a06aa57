package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Kinds of pages, of parquet.thrift.
const (
	dataPage       = 0
	indexPage      = 1
	dictionaryPage = 2
	dataPageV2     = 3
)

// Codecs of parquet.thrift.
const (
	uncompressed = 0
	snappyCodec  = 1
	gzipCodec    = 2
	zstdCodec    = 6
)

var codecNames = []string{"no", "snappy", "gzip", "LZO", "brotli", "LZ4", "zstd", "LZ4_RAW"}

// largestPage bounds the bytes of a page, all of which is in memory. Writers make pages of about a mebibyte.
const largestPage = 1 << 30

// A page may decompress to freeGrowth bytes, and to mostGrowth more for each stored byte. A constant column
// shrinks a thousandfold, but then its pages are small.
const (
	freeGrowth = 16 << 20
	mostGrowth = 200
)

// page is a page of a column chunk.
type page struct {
	kind       int32
	size       int64 // bytes of levels and values when they are decompressed
	stored     int64 // bytes in the file
	values     int64 // nulls included
	encoding   encoding
	levelBytes int64 // of levels before the values, in version 2
	compressed bool  // in version 2

	levels []byte // definition levels; nil if the column has no nulls
	data   []byte // values
}

// pages reads the pages of a chunk in order.
type pages struct {
	file     *File
	in       *bufio.Reader
	codec    int32
	optional bool
	stored   []byte // memory of the current page, as in the file
	plain    []byte // the same decompressed
	brief    bool   // plain is borrowed from the file until the next page
}

// headerBuffer is the size of a buffer for page headers. Larger reads bypass it, and so avoid a copy.
const headerBuffer = 1 << 12

func newPages(f *File, c chunk, optional bool) (*pages, error) {
	if c.offset < 4 || c.offset >= f.size {
		return nil, fmt.Errorf("%w: a column begins at byte %d of %d", ErrDamaged, c.offset, f.size)
	}
	buffer := headerBuffer
	if c.stored > 0 { // there may be hundreds of thousands of short columns
		buffer = int(min(headerBuffer, c.stored))
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f.in, c.offset, f.size-c.offset), buffer)
	return &pages{file: f, in: in, codec: c.codec, optional: optional}, nil
}

// next reads the next page of values or with a dictionary. The page is valid until the next call.
func (p *pages) next() (*page, error) {
	for {
		pg, err := p.readHeader()
		if err != nil {
			return nil, err
		}
		p.borrow(pg)
		err = p.readStored(pg.stored)
		if err == nil {
			err = p.open(pg)
		}
		p.giveBack(pg)
		if err != nil || pg.kind != indexPage {
			return pg, err
		}
	}
}

// open locates levels and values in a page.
func (p *pages) open(pg *page) (err error) {
	switch pg.kind {
	case indexPage:
	case dictionaryPage:
		pg.data, err = p.decompress(p.stored, pg.size)
	case dataPage:
		err = p.openV1(pg)
	case dataPageV2:
		err = p.openV2(pg)
	default:
		err = fmt.Errorf("%w: pages of kind %d", ErrUnsupported, pg.kind)
	}
	return err
}

// borrow uses memory of the file, which its columns share, for the parts of a page that are needed only
// briefly: stored bytes, which are then decompressed, and a dictionary, which is then converted. Otherwise
// each column would keep such memory as long as it is read, and a dictionary is larger than any other page.
func (p *pages) borrow(pg *page) {
	if p.stored == nil {
		p.stored = p.file.borrow()
	}
	if p.brief {
		p.file.giveBack(p.plain)
		p.plain, p.brief = nil, false
	}
	if pg.kind == dictionaryPage && p.codec != uncompressed {
		p.plain, p.brief = p.file.borrow(), true
	}
}

// giveBack returns the memory of the stored bytes, unless the page uses it.
func (p *pages) giveBack(pg *page) {
	if p.codec != uncompressed && pg.kind != dataPageV2 {
		p.file.giveBack(p.stored)
		p.stored = nil
	}
}

// borrow returns memory that is not in use, or nil if there is none.
func (f *File) borrow() []byte {
	if memory, ok := f.memory.Get().(*[]byte); ok {
		return *memory
	}
	return nil
}

func (f *File) giveBack(memory []byte) { f.memory.Put(&memory) }

// readHeader reads PageHeader.
func (p *pages) readHeader() (*page, error) {
	var h pageHeader
	t := &thrift{in: p.in}
	err := t.read(&h)
	pg := &page{kind: h.Kind, size: int64(h.Size), stored: int64(h.Stored)}
	if v1 := h.Data; v1 != nil {
		pg.values, pg.encoding = int64(v1.Values), encoding(v1.Encoding)
	}
	if d := h.Dictionary; d != nil {
		pg.values, pg.encoding = int64(d.Values), encoding(d.Encoding)
	}
	if v2 := h.V2; v2 != nil {
		pg.values, pg.encoding = int64(v2.Values), encoding(v2.Encoding)
		pg.levelBytes = int64(v2.DefinitionLevels) + int64(v2.RepetitionLevels)
		pg.compressed = or(v2.Compressed, true)
	}
	if err == nil && (pg.size < 0 || pg.size > largestPage || pg.stored < 0 || pg.stored > largestPage ||
		pg.values < 0) {
		t.fail("a page of %d values, %d bytes, %d compressed", pg.values, pg.size, pg.stored)
	}
	if t.err == nil && pg.size > freeGrowth+mostGrowth*pg.stored {
		return nil, fmt.Errorf("%w: a page of %d bytes is compressed to %d; write smaller pages (data_page_size)",
			ErrUnsupported, pg.size, pg.stored)
	}
	return pg, t.err
}

func (p *pages) readStored(n int64) error {
	p.stored = p.stored[:0]
	const step = 1 << 20 // a wrong length does not allocate more than that beyond the end of the file
	for n > 0 {
		at, more := len(p.stored), int(min(n, step))
		p.stored = slices.Grow(p.stored, more+room)[:at+more]
		if _, err := io.ReadFull(p.in, p.stored[at:]); err != nil {
			return fmt.Errorf("%w: a page ends too early: %w", ErrDamaged, err)
		}
		n -= int64(more)
	}
	return nil
}

// openV1 locates levels and values in a version 1 page, which compresses both together. The length of the
// levels precedes them.
func (p *pages) openV1(pg *page) (err error) {
	if pg.data, err = p.decompress(p.stored, pg.size); err != nil || !p.optional {
		return err
	}
	if len(pg.data) < 4 {
		return fmt.Errorf("%w: a page without levels", ErrDamaged)
	}
	n := int64(binary.LittleEndian.Uint32(pg.data))
	if n > int64(len(pg.data)-4) {
		return fmt.Errorf("%w: %d bytes of levels in a page of %d", ErrDamaged, n, len(pg.data))
	}
	pg.levels, pg.data = pg.data[4:4+n], pg.data[4+n:]
	return nil
}

// openV2 locates levels and values in a version 2 page, whose levels are not compressed.
func (p *pages) openV2(pg *page) (err error) {
	n := pg.levelBytes
	if n < 0 || n > int64(len(p.stored)) || n > pg.size {
		return fmt.Errorf("%w: %d bytes of levels in a page of %d", ErrDamaged, n, len(p.stored))
	}
	if p.optional {
		pg.levels = p.stored[:n]
	}
	pg.data = p.stored[n:]
	if pg.compressed {
		pg.data, err = p.decompress(pg.data, pg.size-n)
	}
	return err
}

// decompress returns size bytes that are compressed in data.
func (p *pages) decompress(data []byte, size int64) (plain []byte, err error) {
	switch p.codec {
	case uncompressed:
		plain = data
	case snappyCodec:
		plain, err = p.unsnap(data, size)
	case gzipCodec:
		plain, err = p.gunzip(data, size)
	case zstdCodec:
		plain, err = p.unzstd(data, size)
	default:
		name := fmt.Sprintf("number %d", p.codec)
		if p.codec > 0 && int(p.codec) < len(codecNames) {
			name = codecNames[p.codec]
		}
		return nil, fmt.Errorf("%w: %s compression; write it with snappy, gzip or zstd", ErrUnsupported, name)
	}
	if err == nil && int64(len(plain)) != size {
		err = fmt.Errorf("%d bytes, not %d", len(plain), size)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: decompressing a page: %w", ErrDamaged, err)
	}
	return plain, nil
}

func (p *pages) unsnap(data []byte, size int64) ([]byte, error) {
	// Snappy expands at most about 21 times: 64 bytes take 3.
	if n, err := snappy.DecodedLen(data); err != nil || int64(n) != size || size > 32*int64(len(data)) {
		return nil, fmt.Errorf("snappy: a length of %d in %d bytes (%v)", n, len(data), err)
	}
	p.makeRoom(size)
	return snappy.Decode(p.plain[:cap(p.plain)], data)
}

// makeRoom makes room for size bytes in plain, and some more for larger pages.
func (p *pages) makeRoom(size int64) {
	if int64(cap(p.plain)) < size {
		p.plain = make([]byte, 0, size+size/8+room)
	}
}

func (p *pages) gunzip(data []byte, size int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(p.plain[:0])
	_, err = io.Copy(out, io.LimitReader(z, size+1))
	p.plain = out.Bytes()
	return p.plain, err
}

// zstdDecoder is shared, so that the memory of its tables stays in the caches from page to page.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxWindow(largestPage),
		zstd.WithDecodeAllCapLimit(true))
})

func (p *pages) unzstd(data []byte, size int64) ([]byte, error) {
	decoder, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	const beyond = 64 // bytes with which the decoder is faster, and finds pages that are too long
	p.makeRoom(size + beyond)
	plain, err := decoder.DecodeAll(data, p.plain[:0:size+beyond])
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		plain, err = p.plain[:size+1], nil
	}
	return plain[:min(int64(len(plain)), size+1)], err
}
