package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Programs that write Parquet keep what its schema cannot say as texts in the footer. Some of them matter
// here: which columns of a pandas data frame are its index or periods, and which integers are durations of
// Arrow or intervals of Spark.

// The keys of notes.
const (
	pandasNote = "pandas"
	arrowNote  = "ARROW:schema"
	sparkNote  = "org.apache.spark.sql.parquet.row.metadata"
)

// findNotes marks the columns that notes describe. Notes that cannot be read are ignored: a file need not
// have any.
func (f *File) findNotes(all []keyValue) {
	notes := map[string]string{}
	for _, n := range all {
		notes[n.Key] = n.Value
	}
	columns := make(map[string]*Column, len(f.Columns))
	for i := range f.Columns {
		c := &f.Columns[i]
		columns[c.Name], c.Index = c, IsUnnamedIndex(c.Name)
	}
	findPandas(notes[pandasNote], columns)
	findSpark(notes[sparkNote], columns)
	for name, unit := range arrowDurations(notes[arrowNote]) {
		if c := columns[name]; c != nil && c.physical == int64Type && c.meaning == plainMeaning {
			c.meaning, c.unit = durationMeaning, unit
		}
	}
}

// unnamedIndex is how pandas and Dask name the columns of an index without names. They keep these names when
// another program copies them, which loses the note about them. "Unnamed: 0" is what pandas makes of the
// index in a text file, and "Unnamed: 0.1" is the index of a table that has one already.
var unnamedIndex = regexp.MustCompile(`^(__index_level_\d+__|__null_dask_index__|Unnamed:[ _]0(\.\d+)*)$`)

// IsUnnamedIndex reports whether a column is named as pandas names an index without a name.
func IsUnnamedIndex(name string) bool { return unnamedIndex.MatchString(name) }

// findPandas marks the columns that pandas calls an index, and those of periods.
func findPandas(note string, columns map[string]*Column) {
	var frame struct {
		Index   []any `json:"index_columns"` // names of columns, or descriptions of ranges that take no column
		Columns []struct {
			Name any    `json:"field_name"` // null for an index without a name
			Type string `json:"numpy_type"`
		} `json:"columns"`
	}
	if json.Unmarshal([]byte(note), &frame) != nil {
		return
	}
	for _, level := range frame.Index {
		name, _ := level.(string)
		if c := columns[name]; c != nil {
			c.Index = true
		}
	}
	for _, column := range frame.Columns {
		name, _ := column.Name.(string)
		if c := columns[name]; c != nil && strings.HasPrefix(column.Type, "period[") {
			c.meaning = periodMeaning
		}
	}
}

// findSpark marks the columns of intervals, which are integers without a meaning in Parquet's own schema.
func findSpark(note string, columns map[string]*Column) {
	var row struct {
		Fields []struct {
			Name string `json:"name"`
			Type any    `json:"type"` // an object for nested values
		} `json:"fields"`
	}
	if json.Unmarshal([]byte(note), &row) != nil {
		return
	}
	for _, field := range row.Fields {
		kind, _ := field.Type.(string)
		c := columns[field.Name]
		switch {
		case c == nil || c.meaning != plainMeaning || !strings.HasPrefix(kind, "interval "):
		case c.physical == int64Type:
			c.meaning, c.unit = durationMeaning, time.Microsecond
		case c.physical == int32Type:
			c.meaning = intervalMeaning // months
		}
	}
}

// arrowDurations returns the columns of durations in an Arrow schema, an encapsulated message in base64, and
// their units (https://arrow.apache.org/docs/format/Columnar.html, Schema.fbs).
func arrowDurations(note string) map[string]time.Duration {
	message, err := base64.StdEncoding.DecodeString(note)
	if err != nil || len(message) < 8 {
		return nil
	}
	const (
		continued = 0xffffffff
		schema    = 1  // of MessageHeader
		duration  = 18 // of Type
	)
	if binary.LittleEndian.Uint32(message) == continued {
		message = message[4:]
	}
	b := flatBuffer(message[4:])
	found := map[string]time.Duration{}
	root := b.reference(0)
	if kind := b.field(root, 1); kind == 0 || b.at(kind, 1) != schema {
		return nil
	}
	fields := b.reference(b.field(b.reference(b.field(root, 2)), 1))
	left := len(b) // a damaged message can have a long name many times
	for i := range min(b.at(fields, 4), len(b)/4) {
		column := b.reference(fields + 4 + 4*i)
		kind := b.field(column, 2)
		if kind == 0 || b.at(kind, 1) != duration {
			continue
		}
		unit := time.Millisecond // the default, which takes no field
		if at := b.field(b.reference(b.field(column, 3)), 0); at > 0 {
			unit = map[int]time.Duration{0: time.Second, 2: time.Microsecond, 3: time.Nanosecond}[b.at(at, 2)]
		}
		name := b.reference(b.field(column, 0))
		size := b.at(name, 4)
		if left -= size; name == 0 || name+4+size > len(b) || left < 0 {
			break
		}
		found[string(b[name+4:][:size])] = unit
	}
	return found
}

// flatBuffer is a message in the format of FlatBuffers. Its methods return 0 for places beyond its end and
// for fields that are absent; no field is at place 0.
type flatBuffer []byte

// at returns the unsigned integer of a few bytes at a place.
func (b flatBuffer) at(place, bytes int) int {
	if place < 0 || place+bytes > len(b) {
		return 0
	}
	var v [8]byte
	copy(v[:bytes], b[place:])
	return int(binary.LittleEndian.Uint64(v[:]))
}

// reference returns the place to which the offset at a place refers.
func (b flatBuffer) reference(place int) int {
	if offset := b.at(place, 4); offset > 0 && offset < len(b) {
		return place + offset
	}
	return 0
}

// field returns the place of a field of a table, by its number.
func (b flatBuffer) field(table, number int) int {
	fields := table - int(int32(b.at(table, 4)))
	if table == 0 || 4+2*number+2 > b.at(fields, 2) {
		return 0
	}
	if offset := b.at(fields+4+2*number, 2); offset > 0 {
		return table + offset
	}
	return 0
}
