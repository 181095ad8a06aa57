package binned

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/widened"
)

// encode returns the sections of a file. The section of bins is the set's memory.
func (s *Set) encode() sections {
	var out sections
	out[parameters] = appendIntegers(nil, s.Params.MaxBin, s.Params.MinDataInBin, s.Params.SampleCount,
		int(s.Params.Seed), s.numbering(), s.Meta.EmptyQueries, int(s.Params.Missing), s.Meta.LabelColumn)
	out[parameters] = appendIntegers(out[parameters], widened.NumbersOf(s.Meta.Context)...)
	for i, f := range s.Bins.Mapper.Features {
		out[features] = appendIntegers(out[features], numBounds(&f), kindOf(&f)|s.absence(i))
		out[features] = appendFloats(out[features], f.Min, f.Max)
		out[features] = appendIntegers(out[features], int(s.Bins.NaNs[i]))
		out[upperBounds] = appendFloats(out[upperBounds], f.UpperBounds...)
		for _, category := range f.Categories {
			out[upperBounds] = appendFloats(out[upperBounds], float64(category))
		}
	}
	out[featureNames] = appendTexts(nil, s.Meta.Features)
	for _, section := range rowSections(s.Meta) {
		out[section.number] = bytesOf(*section.values)
	}
	out[queryLengths], out[queryIDs] = encodeQueries(s.Meta.Queries)
	out[bins] = encodeBins(s.Bins)
	out[dictionaries] = encodeDictionaries(s.Meta.Dictionaries)
	out[moreLabels] = encodeLabels(s.Meta)
	out[positions], out[positionNames] = encodePositions(s.Meta)
	return out
}

// rowSection is a section that has a number for each row, and where they are in a Meta.
type rowSection struct {
	number int
	values *[]float64
}

func rowSections(m *dataset.Meta) []rowSection {
	return []rowSection{{labels, &m.Labels}, {weights, &m.Weights}, {initialScores, &m.InitialScores}}
}

// numBounds returns the number of upper bounds or categories.
func numBounds(f *histogram.FeatureBins) int { return len(f.UpperBounds) + len(f.Categories) }

// Numbers that are added to the kind of missing values of a feature, in the section features, if the feature
// is categorical or sparse, or if no row can have it.
const (
	categorical = 4
	sparse      = 8
	absent      = 16
)

// absence returns the number to add if no row can have the feature, and 0 otherwise.
func (s *Set) absence(feature int) int {
	if slices.Contains(s.Meta.Absent, feature) {
		return absent
	}
	return 0
}

// kindOf returns the kind of missing values of a feature, plus the number for a categorical or sparse one.
func kindOf(f *histogram.FeatureBins) int {
	if f.IsCategorical() {
		return categorical + int(f.Missing)
	}
	if f.Sparse {
		return sparse + int(f.Missing)
	}
	return int(f.Missing)
}

// encodeBins returns the bytes of all rows, which are the memory of the matrix unless it has sparse columns.
func encodeBins(x *histogram.Matrix) []byte {
	raw := x.Raw()
	if !hasSparse(x.Mapper) {
		return raw.Bins
	}
	return slices.Concat(raw.Bins, bytesOf(raw.Sparse.Ends), bytesOf(raw.Sparse.Places))
}

// encodeDictionaries returns the number of dictionaries, feature and number of texts of each, and all texts.
func encodeDictionaries(all map[int][]string) (dst []byte) {
	if len(all) == 0 {
		return nil
	}
	dst = appendIntegers(nil, len(all))
	var texts []string
	for _, feature := range slices.Sorted(maps.Keys(all)) {
		dst = appendIntegers(dst, feature, len(all[feature]))
		texts = append(texts, all[feature]...)
	}
	return appendTexts(dst, texts)
}

// encodeLabels returns the number of further labels, their values, and the names of all labels; nothing if no
// label has a name.
func encodeLabels(m *dataset.Meta) []byte {
	if len(m.LabelNames()) == 0 {
		return nil
	}
	dst, names := appendIntegers(nil, len(m.More)), []string{m.LabelName}
	for _, l := range m.More {
		dst, names = appendFloats(dst, l.Values...), append(names, l.Name)
	}
	return appendTexts(dst, names)
}

// encodePositions returns the number of names and the position of each row, and the names; nothing if
// positions are not known.
func encodePositions(m *dataset.Meta) (numbers, names []byte) {
	if m.Positions == nil {
		return nil, nil
	}
	numbers = appendIntegers(nil, len(m.PositionNames))
	for _, p := range m.Positions {
		numbers = appendIntegers(numbers, int(p))
	}
	return numbers, appendTexts(nil, m.PositionNames)
}

func encodeQueries(queries []dataset.Query) (lengths, ids []byte) {
	texts := make([]string, len(queries))
	for i, q := range queries {
		lengths = appendIntegers(lengths, q.Len)
		texts[i] = q.ID
	}
	return lengths, appendTexts(nil, texts)
}

func appendIntegers(dst []byte, values ...int) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	return dst
}

func appendFloats(dst []byte, values ...float64) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

func appendTexts(dst []byte, texts []string) []byte {
	end := 0
	for _, t := range texts {
		end += len(t)
		dst = appendIntegers(dst, end)
	}
	for _, t := range texts {
		dst = append(dst, t...)
	}
	return dst
}

// Write writes the set in the format that the package documentation describes. The same set gives
// the same bytes.
func (s *Set) Write(w io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	pool := par.New(0)
	defer pool.Close()
	content := s.encode()
	at := 0
	write := func(b []byte) error {
		n, err := w.Write(b)
		at += n
		return err
	}
	if err := write(content.preface(sumWith(pool))); err != nil {
		return err
	}
	for _, section := range content {
		if err := write(make([]byte, aligned(at)-at)); err != nil {
			return err
		}
		if err := write(section); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the set is not one that a file can hold.
func (s *Set) check() error {
	if err := s.Meta.Check(); err != nil {
		return err
	}
	if s.Meta.Pairs != nil {
		return errors.New("the data has pairs, which a file of bins cannot hold; give them to train " +
			"beside it")
	}
	if s.Meta.NumRows() != s.Bins.NumRows() || s.Meta.NumFeatures() != len(s.Bins.Mapper.Features) {
		return fmt.Errorf("%d labels and %d feature names for %d rows of %d features",
			s.Meta.NumRows(), s.Meta.NumFeatures(), s.Bins.NumRows(), len(s.Bins.Mapper.Features))
	}
	return nil
}

// numbering returns the numbering of features as the file has it.
func (s *Set) numbering() int {
	if s.Meta.Numbering == dataset.FromZero {
		return hasZero
	}
	return s.FeatureBase
}

// hasZero is the stored numbering of LETOR text that has feature 0, for which FeatureBase is 0.
const hasZero = 2

// Set is binned ranking data.
type Set struct {
	Meta *dataset.Meta     // without document ids
	Bins *histogram.Matrix // as many rows as Meta, as many features as its mapper

	// The parameters with which the bins were found.
	Params      histogram.BinParams
	FeatureBase int // number of the feature of LETOR text that is column 0: 0 or 1
}
