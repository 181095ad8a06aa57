package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Field is a column that a [Writer] writes: float64 values, or texts in UTF-8. No value is null.
type Field struct {
	Name string
	Text bool
}

// Writer writes a Parquet file: version 1 pages of plain values, compressed by zstd, which all readers of
// Parquet know. A file has no statistics and no dictionaries. Memory holds one row group, about 64 MiB.
type Writer struct {
	out    io.Writer
	at     int64 // bytes written
	zstd   *zstd.Encoder
	fields []Field
	chunks []growing // of the current row group, by field
	rows   int64     // of the current row group
	kept   int       // bytes of it in memory
	groups []written
	err    error

	pageBytes  int // of plain values; a page is finished at this size
	groupBytes int // in memory; a row group is written at this size
}

// growing is a column chunk of the current row group.
type growing struct {
	page   []byte // plain values of the current page
	values int32  // their number
	stored []byte // finished pages
	plain  int64  // bytes of them before compression
}

// written is a row group in the file.
type written struct {
	rows, bytes int64
	chunks      []place
}

// place locates a column chunk in the file.
type place struct{ offset, stored, plain int64 }

// NewWriter returns a writer of a file with these columns, whose names must be distinct and in UTF-8.
func NewWriter(out io.Writer, fields []Field) (*Writer, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, zstd: z, fields: fields, chunks: make([]growing, len(fields)), pageBytes: 1 << 20,
		groupBytes: 64 << 20}
	w.write([]byte(Mark))
	return w, w.err
}

// Add adds a row: the values of number columns and of text columns, each in column order.
func (w *Writer) Add(numbers []float64, texts []string) error {
	for i := range w.fields {
		c := &w.chunks[i]
		before := len(c.page)
		if w.fields[i].Text {
			c.page = binary.LittleEndian.AppendUint32(c.page, uint32(len(texts[0])))
			c.page, texts = append(c.page, texts[0]...), texts[1:]
		} else {
			c.page, numbers = binary.LittleEndian.AppendUint64(c.page, math.Float64bits(numbers[0])), numbers[1:]
		}
		c.values++
		w.kept += len(c.page) - before
		if len(c.page) >= w.pageBytes {
			w.finishPage(c)
		}
	}
	if w.rows++; w.kept >= w.groupBytes {
		w.finishGroup()
	}
	return w.err
}

// finishPage moves the current page, compressed, to the finished ones.
func (w *Writer) finishPage(c *growing) {
	if c.values == 0 {
		return
	}
	data := w.zstd.EncodeAll(c.page, nil)
	head := pageHeader(len(c.page), len(data), c.values)
	c.stored = append(append(c.stored, head...), data...)
	c.plain += int64(len(head) + len(c.page))
	w.kept += len(head) + len(data) - len(c.page)
	c.page, c.values = c.page[:0], 0
}

// finishGroup writes the current row group, if it has rows.
func (w *Writer) finishGroup() {
	if w.rows == 0 {
		return
	}
	g := written{rows: w.rows}
	for i := range w.chunks {
		c := &w.chunks[i]
		w.finishPage(c)
		g.chunks = append(g.chunks, place{offset: w.at, stored: int64(len(c.stored)), plain: c.plain})
		g.bytes += c.plain
		w.write(c.stored)
		c.stored, c.plain = c.stored[:0], 0
	}
	w.groups = append(w.groups, g)
	w.rows, w.kept = 0, 0
}

// Close writes the rows that are left and the footer. It does not close the file.
func (w *Writer) Close() error {
	w.finishGroup()
	footer := w.footer()
	w.write(footer)
	w.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), Mark...))
	return w.err
}

// write writes bytes, unless a write has failed.
func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(b)
	w.at += int64(n)
	w.err = err
}
