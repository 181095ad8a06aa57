package parquet

import (
	"encoding/binary"
	"io"
	"math"
	"reflect"

	"github.com/klauspost/compress/zstd"
)

// Field is a column that a [Writer] writes: float64 values, or texts in UTF-8. No value is null.
type Field struct {
	Name string
	Text bool
}

// Writer writes a Parquet file: a version 1 page of plain values, compressed by zstd, for each column of a
// row group, which all readers of Parquet know. A file has no statistics and no dictionaries. Memory holds
// one row group, about 64 MiB.
type Writer struct {
	out    io.Writer
	at     int64 // bytes written
	zstd   *zstd.Encoder
	fields []Field
	pages  [][]byte // plain values of the current row group, by field
	rows   int64    // of the current row group
	bytes  int      // of its pages
	groups []rowGroup
	err    error

	pageBytes, groupBytes int // a row group is written when one of its pages, or all together, have this size
}

// NewWriter returns a writer of a file with these columns, whose names must be distinct and in UTF-8.
func NewWriter(out io.Writer, fields []Field) (*Writer, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, zstd: z, fields: fields, pages: make([][]byte, len(fields)), groups: []rowGroup{},
		pageBytes: 1 << 20, groupBytes: 64 << 20}
	w.write([]byte(Mark))
	return w, w.err
}

// Add adds a row: the values of number columns and of text columns, each in column order.
func (w *Writer) Add(numbers []float64, texts []string) error {
	longest := 0
	for i, f := range w.fields {
		page := w.pages[i]
		if f.Text {
			page = binary.LittleEndian.AppendUint32(page, uint32(len(texts[0])))
			page, texts = append(page, texts[0]...), texts[1:]
		} else {
			page, numbers = binary.LittleEndian.AppendUint64(page, math.Float64bits(numbers[0])), numbers[1:]
		}
		w.bytes += len(page) - len(w.pages[i])
		w.pages[i], longest = page, max(longest, len(page))
	}
	if w.rows++; longest >= w.pageBytes || w.bytes >= w.groupBytes {
		w.finishGroup()
	}
	return w.err
}

// finishGroup writes the current row group, if it has rows.
func (w *Writer) finishGroup() {
	if w.rows == 0 {
		return
	}
	g := rowGroup{Rows: w.rows}
	for i, page := range w.pages {
		data := w.zstd.EncodeAll(page, nil)
		head := appendStruct(nil, reflect.ValueOf(pageHeader{Kind: dataPage, Size: int32(len(page)),
			Stored: int32(len(data)), Data: &dataPageHeader{Values: int32(w.rows), Encoding: int32(plain),
				DefinitionLevels: int32(runLengths), RepetitionLevels: int32(runLengths)}})) // there are no levels
		f := w.fields[i]
		c := columnMetaData{Type: int32(f.physical()), Encodings: []int32{int32(plain), int32(runLengths)},
			Path: []string{f.Name}, Codec: zstdCodec, Values: w.rows, Plain: int64(len(head) + len(page)),
			Stored: int64(len(head) + len(data)), Offset: w.at}
		g.Columns, g.Bytes = append(g.Columns, columnChunk{Offset: w.at, Meta: &c}), g.Bytes+c.Plain
		w.write(head)
		w.write(data)
		w.pages[i] = page[:0]
	}
	w.groups = append(w.groups, g)
	w.rows, w.bytes = 0, 0
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

// footer returns FileMetaData.
func (w *Writer) footer() []byte {
	name := "lambdamart"
	m := fileMetaData{Version: 1, Schema: w.schema(), Groups: w.groups, CreatedBy: &name}
	for _, g := range w.groups {
		m.Rows += g.Rows
	}
	return appendStruct(nil, reflect.ValueOf(m))
}

// schema returns the root and the columns.
func (w *Writer) schema() []schemaElement {
	number := func(n int32) *int32 { return &n }
	all := []schemaElement{{Name: "schema", Children: number(int32(len(w.fields)))}}
	for _, f := range w.fields {
		e := schemaElement{Type: number(int32(f.physical())), Repetition: number(required), Name: f.Name}
		if f.Text {
			e.Converted, e.Logical = number(convertedUTF8), &logicalType{String: &struct{}{}}
		}
		all = append(all, e)
	}
	return all
}

func (f Field) physical() physical {
	if f.Text {
		return byteArray
	}
	return double
}
