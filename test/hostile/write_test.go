//go:build linux

package hostile

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// content returns the bytes of a file. Only files of cases that run are made, because compressing takes time.
type content func() []byte

func plain[T string | []byte](bytes T) content { return func() []byte { return []byte(bytes) } }

// gzipped compresses head, then n bytes of repeated pattern, then tail.
func gzipped(head, pattern string, n int, tail string) content {
	return func() []byte {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		repeat(z, head, pattern, n, tail)
		z.Close()
		return b.Bytes()
	}
}

// zstandard is gzipped for zstd.
func zstandard(head, pattern string, n int, tail string) content {
	return func() []byte {
		var b bytes.Buffer
		z, _ := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		repeat(z, head, pattern, n, tail)
		z.Close()
		return b.Bytes()
	}
}

func repeat(w io.Writer, head, pattern string, n int, tail string) {
	io.WriteString(w, head)
	block := strings.Repeat(pattern, max(1, 1<<20/len(pattern)))
	for ; n > 0; n -= len(block) {
		io.WriteString(w, block[:min(n, len(block))])
	}
	io.WriteString(w, tail)
}

// wideWindow is a zstd frame that asks for a window of 2^41 bytes (RFC 8878 §3.1.1.1.2).
var wideWindow = []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 31 << 3, 0x01, 0x00, 0x00}

// thrift writes structs of Thrift's compact protocol.
type thrift struct {
	bytes.Buffer
	last []int // field of each open struct
}

func (t *thrift) uvarint(v uint64)  { t.Write(binary.AppendUvarint(nil, v)) }
func (t *thrift) open()             { t.last = append(t.last, 0) }
func (t *thrift) close()            { t.WriteByte(0); t.last = t.last[:len(t.last)-1] }
func (t *thrift) elements(n uint64) { t.WriteByte(0xfc); t.uvarint(n) } // structs

// field begins a field of a struct.
func (t *thrift) field(id int, kind byte) {
	top := len(t.last) - 1
	t.WriteByte(byte(id-t.last[top])<<4 | kind)
	t.last[top] = id
}

func (t *thrift) int(id int, v int64) { t.field(id, 6); t.Write(binary.AppendVarint(nil, v)) }

func (t *thrift) text(id int, s string) { t.field(id, 8); t.uvarint(uint64(len(s))); t.WriteString(s) }

// parquetFile describes a file with one column of doubles named "x" in one page.
type parquetFile struct {
	rows, values int64   // as the footer and the page claim
	page         content // as it is stored
	codec        int64
	size, stored int64  // of the page, as it claims; 0: the true sizes
	encoding     int64  // of the values
	elsewhere    string // file_path: the column is in another file
	columns      uint64 // claimed number of schema elements; 0: two
	optional     int64
	dictionary   bool // the page is a dictionary
	text         bool // the column is BYTE_ARRAY
}

func (p parquetFile) bytes() []byte {
	data := p.page()
	stored, size := int64(len(data)), int64(len(data))
	if p.stored != 0 {
		stored = p.stored
	}
	if p.size != 0 {
		size = p.size
	}
	var page thrift
	page.open()
	kind, header := int64(0), 5
	if p.dictionary {
		kind, header = 2, 7
	}
	page.int(1, kind)
	page.int(2, size)
	page.int(3, stored)
	page.field(header, 12)
	page.open()
	page.int(1, p.values)
	page.int(2, p.encoding)
	if !p.dictionary {
		page.int(3, 3)
		page.int(4, 3)
	}
	page.close()
	page.close()
	file := slices.Concat([]byte("PAR1"), page.Bytes(), data)
	footer := p.footer(int64(len(data)))
	file = append(file, footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, "PAR1"...)
}

// footer returns FileMetaData of a file whose page has so many bytes.
func (p parquetFile) footer(page int64) []byte {
	var t thrift
	t.open()
	t.int(1, 1)
	t.field(2, 9)
	if p.columns == 0 {
		p.columns = 2
	}
	t.elements(p.columns)
	t.open()
	t.text(4, "schema")
	t.int(5, 1)
	t.close()
	t.open()
	kind := int64(5) // DOUBLE
	if p.text {
		kind = 6
	}
	t.int(1, kind)
	t.int(3, p.optional)
	t.text(4, "x")
	t.close()
	t.int(3, p.rows)
	t.field(4, 9)
	t.elements(1)
	t.open()
	t.field(1, 9)
	t.elements(1)
	t.open()
	if p.elsewhere != "" {
		t.text(1, p.elsewhere)
	}
	t.int(2, 4)
	t.field(3, 12)
	p.chunk(&t, kind, page)
	t.close()
	t.int(2, page)
	t.int(3, p.rows)
	t.close()
	t.close()
	return t.Bytes()
}

// chunk writes ColumnMetaData.
func (p parquetFile) chunk(t *thrift, kind, page int64) {
	t.open()
	t.int(1, kind)
	t.field(2, 9)
	t.WriteByte(0x15)
	t.WriteByte(0)
	t.field(3, 9)
	t.WriteByte(0x18)
	t.uvarint(1)
	t.WriteString("x")
	t.int(4, p.codec)
	t.int(5, p.rows)
	t.int(6, page)
	t.int(7, page)
	t.int(9, 4)
	t.close()
}
