package tree

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/rowblock"
)

// compared is the thresholds of a column in the form in which the values of a block are compared with each
// of them, to make the maps of the column's conditions. Where the CPU compares many values at a time, this is
// faster than ranks unless there are many thresholds.
//
// A missing value is replaced so that it goes to its side at every threshold: NaN exceeds all of them,
// and -Inf none.
type compared struct {
	double  []float64 // the thresholds
	single  []float32 // the largest float32 that is not above each: any float32 exceeds both or neither
	missing float64   // replaces a missing value
}

func newCompared(thresholds []float64, d Decision) compared {
	c := compared{double: thresholds, single: make([]float32, len(thresholds))}
	for i, t := range thresholds {
		c.single[i] = notAbove(t)
	}
	switch {
	case d.Missing() == MissingNone: // NaN counts as zero
	case d&DefaultLeft != 0:
		c.missing = math.Inf(-1)
	default:
		c.missing = math.NaN()
	}
	return c
}

// notAbove returns the largest float32 that is not above t.
func notAbove(t float64) float32 {
	single := float32(t)
	if float64(single) > t {
		single = math.Nextafter32(single, float32(math.Inf(-1)))
	}
	return single
}

// byComparing reports whether the maps of a column's conditions are made by comparing, and not by ranks.
func byComparing[F number](c *column) bool {
	return !c.categorical && c.conditions() <= rowblock.MostThresholds[F]()
}

// columnsOfBlock are the values of neighboring features in a block of rows.
type columnsOfBlock[F number] struct {
	values [rowblock.Width][mapRows]F
	first  int // number of the first feature; -1: there are none
}

// of returns the values of a feature, in an array that the caller may change.
func (x *columnsOfBlock[F]) of(feature int, rows []F, stride int) (values [mapRows]F) {
	if stride < rowblock.Width {
		for i := range len(rows) / stride {
			values[i] = rows[i*stride+feature]
		}
		return values
	}
	if first := min(feature&^(rowblock.Width-1), stride-rowblock.Width); first != x.first {
		x.first = first
		rowblock.Columns(&x.values, rows, stride, first)
	}
	return x.values[feature-x.first]
}

// compareColumn writes the maps of a column's conditions for its values in 64 rows, each stride entries after
// the one before. Bits of maps above the number of rows have no meaning.
func compareColumn[F number](maps []bitMap, stride int, c *column, values *[mapRows]F) {
	missing := F(c.compared.missing)
	if c.zeroMissing {
		for i, v := range values {
			if math.Abs(float64(v)) <= ZeroThreshold {
				values[i] = missing
			}
		}
	}
	switch values := any(values).(type) {
	case *[mapRows]float32:
		rowblock.Maps(maps, stride, values, float32(missing), c.compared.single)
	case *[mapRows]float64:
		rowblock.Maps(maps, stride, values, float64(missing), c.compared.double)
	}
}

// pandasLists returns the lists of PandasCategorical by feature, as they are written: an entry is a text or
// a number of the data frame. It returns nil if there are no dictionaries.
func (e *Ensemble) pandasLists() map[int]json.RawMessage {
	var lists []json.RawMessage
	features := slices.Sorted(maps.Keys(e.Dictionaries))
	known := json.Unmarshal([]byte(e.PandasCategorical), &lists) == nil && len(lists) == len(features)
	all := make(map[int]json.RawMessage, len(features))
	for i, f := range features {
		if known {
			all[f] = lists[i]
			continue
		}
		all[f] = json.RawMessage(encodeList(e.Dictionaries[f]))
	}
	return all
}

// pandasLine returns the text that follows "pandas_categorical:" for lists by feature.
func pandasLine(lists map[int]json.RawMessage) string {
	inOrder := make([]json.RawMessage, 0, len(lists))
	for _, f := range slices.Sorted(maps.Keys(lists)) {
		inOrder = append(inOrder, lists[f])
	}
	return encodeList(inOrder)
}

// encodeList returns a list in one line of JSON.
func encodeList[T any](list []T) string {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(list); err != nil {
		panic(err) // texts, and what has been read as JSON, can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Pandas returns the text that follows "pandas_categorical:" in a model file: PandasCategorical, or the
// dictionaries if that is empty.
func (e *Ensemble) Pandas() string {
	if e.PandasCategorical != "" || len(e.Dictionaries) == 0 {
		return e.PandasCategorical
	}
	return pandasLine(e.pandasLists())
}
