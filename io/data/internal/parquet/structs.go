package parquet

// The structs of parquet.thrift, with the fields that are read or written. Fields that a file may lack, or
// that are not written, are pointers or slices.
type (
	fileMetaData struct {
		Version   int32           `thrift:"1"`
		Schema    []schemaElement `thrift:"2"`
		Rows      int64           `thrift:"3"`
		Groups    []rowGroup      `thrift:"4"`
		Notes     []keyValue      `thrift:"5"`
		CreatedBy *string         `thrift:"6"`
	}

	// schemaElement is a node of the schema, whose nodes come in depth-first order.
	schemaElement struct {
		Type       *int32       `thrift:"1"`
		Width      *int32       `thrift:"2"`
		Repetition *int32       `thrift:"3"`
		Name       string       `thrift:"4"`
		Children   *int32       `thrift:"5"`
		Converted  *int32       `thrift:"6"`
		Scale      *int32       `thrift:"7"`
		Precision  *int32       `thrift:"8"`
		Logical    *logicalType `thrift:"10"`
	}

	// logicalType is a union, of which logicalMeanings has the numbers.
	logicalType struct {
		String    *struct{}    `thrift:"1"`
		Enum      *struct{}    `thrift:"4"`
		Decimal   *decimalType `thrift:"5"`
		Date      *struct{}    `thrift:"6"`
		Time      *timeType    `thrift:"7"`
		Timestamp *timeType    `thrift:"8"`
		Integer   *intType     `thrift:"10"`
		Unknown   *struct{}    `thrift:"11"`
		JSON      *struct{}    `thrift:"12"`
		BSON      *struct{}    `thrift:"13"`
		UUID      *struct{}    `thrift:"14"`
		Float16   *struct{}    `thrift:"15"`
	}
	decimalType struct {
		Scale     int32 `thrift:"1"`
		Precision int32 `thrift:"2"`
	}
	timeType struct {
		IsUTC *bool    `thrift:"1"`
		Unit  timeUnit `thrift:"2"`
	}
	timeUnit struct { // a union
		Millis *struct{} `thrift:"1"`
		Micros *struct{} `thrift:"2"`
		Nanos  *struct{} `thrift:"3"`
	}
	intType struct {
		IsSigned *bool `thrift:"2"`
	}

	rowGroup struct {
		Columns []columnChunk `thrift:"1"`
		Bytes   int64         `thrift:"2"` // decompressed
		Rows    int64         `thrift:"3"`
	}
	columnChunk struct {
		File   *string         `thrift:"1"` // another file that has the pages
		Offset int64           `thrift:"2"`
		Meta   *columnMetaData `thrift:"3"`
	}
	columnMetaData struct {
		Type       int32    `thrift:"1"`
		Encodings  []int32  `thrift:"2"`
		Path       []string `thrift:"3"`
		Codec      int32    `thrift:"4"`
		Values     int64    `thrift:"5"`
		Plain      int64    `thrift:"6"` // bytes, with page headers
		Stored     int64    `thrift:"7"`
		Offset     int64    `thrift:"9"` // of the first page of values
		Dictionary *int64   `thrift:"11"`
	}
	keyValue struct {
		Key   string `thrift:"1"`
		Value string `thrift:"2"`
	}

	pageHeader struct {
		Kind       int32             `thrift:"1"`
		Size       int32             `thrift:"2"` // bytes of levels and values when they are decompressed
		Stored     int32             `thrift:"3"` // bytes in the file
		Data       *dataPageHeader   `thrift:"5"`
		Dictionary *dictionaryHeader `thrift:"7"`
		V2         *dataPageHeader2  `thrift:"8"`
	}
	dataPageHeader struct {
		Values           int32 `thrift:"1"` // nulls included
		Encoding         int32 `thrift:"2"`
		DefinitionLevels int32 `thrift:"3"`
		RepetitionLevels int32 `thrift:"4"`
	}
	dictionaryHeader struct {
		Values   int32 `thrift:"1"`
		Encoding int32 `thrift:"2"`
	}
	dataPageHeader2 struct {
		Values           int32 `thrift:"1"`
		Encoding         int32 `thrift:"4"`
		DefinitionLevels int32 `thrift:"5"` // bytes
		RepetitionLevels int32 `thrift:"6"`
		Compressed       *bool `thrift:"7"` // nil means true
	}
)

// or returns the value of a field, or another one if the field is absent.
func or[T any](field *T, absent T) T {
	if field == nil {
		return absent
	}
	return *field
}
