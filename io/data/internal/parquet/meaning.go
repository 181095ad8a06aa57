package parquet

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// meaning is what the stored values of a column stand for, as the file says.
type meaning int

const (
	plainMeaning meaning = iota // the stored values themselves
	stringMeaning
	enumMeaning
	jsonMeaning
	bsonMeaning
	uuidMeaning
	decimalMeaning
	float16Meaning
	nothingMeaning   // all values are null
	dateMeaning      // days since 1970
	clockMeaning     // time of day
	timestampMeaning // time since 1970
	durationMeaning
	intervalMeaning // months, days and milliseconds
	periodMeaning   // of pandas: number of months, weeks or other spans of time since 1970
)

// isTime reports whether values are times of some kind, whose numbers mean nothing without their unit.
func (m meaning) isTime() bool { return m >= dateMeaning }

// meanings are the meanings of converted types, by number.
var meanings = map[int32]meaning{0: stringMeaning, 4: enumMeaning, 5: decimalMeaning,
	6: dateMeaning, 7: clockMeaning, 8: clockMeaning, 9: timestampMeaning, 10: timestampMeaning, 19: jsonMeaning,
	20: bsonMeaning, 21: intervalMeaning}

// logicalMeanings are the meanings of logical types, by their field in LogicalType.
var logicalMeanings = map[int]meaning{1: stringMeaning, 4: enumMeaning, 5: decimalMeaning, 6: dateMeaning,
	7: clockMeaning, 8: timestampMeaning, 11: nothingMeaning, 12: jsonMeaning, 13: bsonMeaning, 14: uuidMeaning,
	15: float16Meaning}

// setConverted sets what ConvertedType says, which older programs write in place of LogicalType.
func (c *Column) setConverted(converted int32) {
	if m, has := meanings[converted]; has && c.meaning == plainMeaning {
		c.meaning = m
		switch converted {
		case 7, 9:
			c.unit = time.Millisecond
		case 8, 10:
			c.unit = time.Microsecond
		}
	}
	c.unsigned = c.unsigned || converted >= convertedUint8 && converted <= convertedUint64
}

// setLogical sets what LogicalType says.
func (c *Column) setLogical(l *logicalType) {
	union := reflect.ValueOf(l).Elem()
	for i, number := range numbersOf(union.Type()) {
		if m, has := logicalMeanings[number]; has && !union.Field(i).IsNil() {
			c.meaning = m
		}
	}
	switch {
	case l.Decimal != nil:
		c.scale, c.precision = int(l.Decimal.Scale), int(l.Decimal.Precision)
	case l.Time != nil:
		c.unit = l.Time.Unit.duration()
	case l.Timestamp != nil:
		c.unit, c.Zoned = l.Timestamp.Unit.duration(), or(l.Timestamp.IsUTC, false)
	case l.Integer != nil:
		c.unsigned = !or(l.Integer.IsSigned, true)
	}
}

func (u timeUnit) duration() time.Duration {
	switch {
	case u.Millis != nil:
		return time.Millisecond
	case u.Micros != nil:
		return time.Microsecond
	case u.Nanos != nil:
		return time.Nanosecond
	}
	return 0
}

// Type returns the type of a column for messages, such as "TIMESTAMP in nanoseconds".
func (c *Column) Type() string {
	if c.nested {
		return "nested or repeated values"
	}
	names := map[meaning]string{stringMeaning: "STRING", enumMeaning: "ENUM", jsonMeaning: "JSON",
		bsonMeaning: "BSON", uuidMeaning: "UUID", float16Meaning: "FLOAT16", nothingMeaning: "nothing but nulls",
		dateMeaning: "DATE", clockMeaning: "TIME", timestampMeaning: "TIMESTAMP", durationMeaning: "DURATION",
		intervalMeaning: "INTERVAL", periodMeaning: "PERIOD of pandas"}
	name := names[c.meaning]
	switch {
	case c.meaning == decimalMeaning:
		return fmt.Sprintf("DECIMAL(%d,%d)", c.precision, c.scale)
	case name != "" && c.unit > 0:
		units := map[time.Duration]string{time.Nanosecond: "nanoseconds", time.Microsecond: "microseconds",
			time.Millisecond: "milliseconds", time.Second: "seconds"}
		return name + " in " + units[c.unit]
	case name != "":
		return name
	case c.physical == int96:
		return "TIMESTAMP (INT96)"
	case c.physical == byteArray:
		return "BINARY (BYTE_ARRAY)"
	case c.physical == fixedArray:
		return fmt.Sprintf("BINARY of %d bytes (FIXED_LEN_BYTE_ARRAY)", c.width)
	case c.unsigned:
		return "unsigned " + c.physical.String()
	}
	return c.physical.String()
}

// timeText returns the text of a date, a time of day, a timestamp or a duration, which does not depend on the
// unit in which it is stored.
func (c *Column) timeText(v int64) string {
	const day = 24 * 60 * 60
	if c.meaning == dateMeaning {
		return time.Unix(day*v, 0).UTC().Format("2006-01-02")
	}
	perSecond := int64(time.Second / max(c.unit, 1))
	seconds, rest := v/perSecond, v%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	switch at := time.Unix(seconds, rest*int64(c.unit)).UTC(); c.meaning {
	case clockMeaning:
		return at.Format("15:04:05.999999999")
	case timestampMeaning:
		return at.Format("2006-01-02 15:04:05.999999999")
	}
	text := fmt.Sprintf("%d.%09d", seconds, rest*int64(c.unit))
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "s"
}

// int96Text returns the text of a timestamp of 12 bytes: nanoseconds of the day, and the Julian day.
func int96Text(b []byte) string {
	const epoch = 2440588 // Julian day of 1970-01-01
	days := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epoch
	at := time.Unix(days*24*60*60, int64(binary.LittleEndian.Uint64(b))).UTC()
	return at.Format("2006-01-02 15:04:05.999999999")
}
