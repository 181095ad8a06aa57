package parquet

import "encoding/binary"

// thriftWriter writes structs of Thrift's compact protocol. The fields of a struct are written in ascending
// order of their numbers.
type thriftWriter struct {
	b    []byte
	last []int // numbers of the last fields of the open structs
}

// header begins a field of the innermost struct.
func (t *thriftWriter) header(id int, kind byte) {
	top := &t.last[len(t.last)-1]
	t.b = append(t.b, byte(id-*top)<<4|kind) // all steps are below 16
	*top = id
}

func (t *thriftWriter) int(id int, kind byte, v int64) {
	t.header(id, kind)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thriftWriter) text(id int, v string) {
	t.header(id, thriftBinary)
	t.element(v)
}

// element writes a text in a list.
func (t *thriftWriter) element(v string) {
	t.b = append(binary.AppendUvarint(t.b, uint64(len(v))), v...)
}

// list begins a list of n elements.
func (t *thriftWriter) list(id int, kind byte, n int) {
	t.header(id, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n)<<4|kind)
		return
	}
	t.b = binary.AppendUvarint(append(t.b, 15<<4|kind), uint64(n))
}

// open begins a struct that is an element of a list, or the outermost one.
func (t *thriftWriter) open() { t.last = append(t.last, 0) }

// openField begins a struct that is a field.
func (t *thriftWriter) openField(id int) {
	t.header(id, thriftStruct)
	t.open()
}

func (t *thriftWriter) close() {
	t.b, t.last = append(t.b, thriftStop), t.last[:len(t.last)-1]
}

// pageHeader returns PageHeader with its DataPageHeader for a page with these sizes in bytes
// before and after compression.
func pageHeader(size, stored int, values int32) []byte {
	t := &thriftWriter{}
	t.open()
	t.int(1, thriftI32, dataPage)
	t.int(2, thriftI32, int64(size))
	t.int(3, thriftI32, int64(stored))
	t.openField(5)
	t.int(1, thriftI32, int64(values))
	t.int(2, thriftI32, int64(plain))
	t.int(3, thriftI32, int64(runLengths)) // of definition and repetition levels, which the file has none of
	t.int(4, thriftI32, int64(runLengths))
	t.close()
	t.close()
	return t.b
}

// footer returns FileMetaData.
func (w *Writer) footer() []byte {
	t := &thriftWriter{}
	t.open()
	t.int(1, thriftI32, 1) // version
	w.schema(t)
	rows := int64(0)
	for _, g := range w.groups {
		rows += g.rows
	}
	t.int(3, thriftI64, rows)
	t.list(4, thriftStruct, len(w.groups))
	for _, g := range w.groups {
		w.rowGroup(t, g)
	}
	t.text(6, "lambdamart") // created_by
	t.close()
	return t.b
}

// schema writes the list of SchemaElement: the root and the columns.
func (w *Writer) schema(t *thriftWriter) {
	t.list(2, thriftStruct, 1+len(w.fields))
	t.open()
	t.text(4, "schema")
	t.int(5, thriftI32, int64(len(w.fields)))
	t.close()
	for _, f := range w.fields {
		t.open()
		t.int(1, thriftI32, int64(f.physical()))
		t.int(3, thriftI32, required)
		t.text(4, f.Name)
		if f.Text {
			t.int(6, thriftI32, convertedUTF8)
			t.openField(10) // logicalType, whose field 1 is STRING
			t.openField(1)
			t.close()
			t.close()
		}
		t.close()
	}
}

func (f Field) physical() physical {
	if f.Text {
		return byteArray
	}
	return double
}

// rowGroup writes RowGroup.
func (w *Writer) rowGroup(t *thriftWriter, g written) {
	t.open()
	t.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		t.open() // ColumnChunk
		t.int(2, thriftI64, c.offset)
		t.openField(3)
		w.columnMetaData(t, w.fields[i], c, g.rows)
		t.close()
		t.close()
	}
	t.int(2, thriftI64, g.bytes)
	t.int(3, thriftI64, g.rows)
	t.close()
}

// columnMetaData writes the fields of ColumnMetaData.
func (w *Writer) columnMetaData(t *thriftWriter, f Field, c place, rows int64) {
	t.int(1, thriftI32, int64(f.physical()))
	t.list(2, thriftI32, 2)
	t.b = binary.AppendVarint(t.b, int64(plain))
	t.b = binary.AppendVarint(t.b, int64(runLengths))
	t.list(3, thriftBinary, 1)
	t.element(f.Name)
	t.int(4, thriftI32, zstdCodec)
	t.int(5, thriftI64, rows)
	t.int(6, thriftI64, c.plain)
	t.int(7, thriftI64, c.stored)
	t.int(9, thriftI64, c.offset)
}
