package binned

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/widened"
)

// decode makes a set of the bytes of a file, which the set keeps. It allocates memory in proportion to them,
// whatever numbers they contain.
func decode(data []byte, pool *par.Pool) (*Set, error) {
	s, err := verified(data, sumWith(pool))
	if err != nil {
		return nil, err
	}
	d := decoder{sections: s, stored: binary.LittleEndian.Uint32(data[12:])}
	set := &Set{Meta: &dataset.Meta{}}
	d.parameters(set)
	mapper, nans := d.mapper()
	d.meta(set.Meta, len(mapper.Features))
	if d.err != nil {
		return nil, d.err
	}
	set.Params.Categorical = mapper.CategoricalFeatures()
	set.Params.Sparse = hasSparse(mapper)
	set.Bins, err = decodeBins(s[bins], mapper, set.Meta.NumRows(), nans, pool.Workers())
	return set, err
}

// verified returns the sections of a file, whose checksums are right.
func verified(data []byte, sum checksum) (sections, error) {
	s, sums, err := divide(data)
	if err != nil {
		return s, err
	}
	for i, section := range s {
		if sum(section) != sums[i] {
			return s, fault(ErrDamaged, "the checksum of the %s is wrong", sectionNames[i])
		}
	}
	return s, nil
}

// decoder decodes the sections of a file.
type decoder struct {
	sections
	stored uint32 // version of the file
	err    error  // the first one
}

// fail notes that the content is invalid.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fault(ErrInvalid, format, args...)
	}
}

// hasSparse reports whether any column of a matrix is sparse.
func hasSparse(m *histogram.Mapper) bool {
	return slices.ContainsFunc(m.Features, func(f histogram.FeatureBins) bool {
		return f.Sparse && !f.Constant()
	})
}

// decodeBins returns a matrix that uses the memory of a section if possible.
func decodeBins(section []byte, m *histogram.Mapper, rows int, nans []int64, workers int) (*histogram.Matrix,
	error) {
	var sparse histogram.SparseRows
	if hasSparse(m) {
		dense, ends := rows*m.Stride(), 8*(rows+1)
		if rows >= len(section)/(m.Stride()+8) || (len(section)-dense-ends)%4 != 0 {
			return nil, fault(ErrInvalid, "bins: %d bytes for %d rows of %d bytes and of sparse features",
				len(section), rows, m.Stride())
		}
		sparse.Ends, sparse.Places = numbersOf[int64](section[dense:dense+ends]),
			numbersOf[uint32](section[dense+ends:])
		section = section[:dense:dense]
	}
	x, err := histogram.FromRaw(m, histogram.Raw{Rows: rows, NaNs: nans, Bins: section, Sparse: sparse}, workers)
	if err != nil {
		return nil, fault(ErrInvalid, "%v", err)
	}
	return x, nil
}

// numParameters is the number of integers of the section parameters without query context.
const numParameters = 8

func (d *decoder) parameters(s *Set) {
	values := d.integers(parameters)
	if len(values) < numParameters {
		d.fail("%d parameters; wanted %d", len(values), numParameters)
		return
	}
	var err error
	if s.Meta.Context, err = widened.ColumnsOf(values[numParameters:]); err != nil {
		d.fail("%v", err)
	}
	const most = 1 << 48 // no count is this large
	missing := 0
	limits := [...]struct {
		dst          *int
		name         string
		least, above uint64
	}{
		{&s.Params.MaxBin, "max_bin", 2, histogram.MostBins + 1},
		{&s.Params.MinDataInBin, "min_data_in_bin", 1, most},
		{&s.Params.SampleCount, "bin_construct_sample_cnt", 1, most},
		{nil, "seed", 0, math.MaxUint64},
		{&s.FeatureBase, "feature_base", 0, hasZero + 1},
		{&s.Meta.EmptyQueries, "number of empty queries", 0, most},
		{&missing, "type of missing values", 0, uint64(histogram.MissingNaN) + 1},
		{&s.Meta.LabelColumn, "column of the label", 0, most},
	}
	for i, l := range limits {
		switch v := values[i]; {
		case l.dst == nil:
			s.Params.Seed = v
		case v < l.least || v >= l.above || uint64(int(v)) != v:
			d.fail("the %s is %d", l.name, v)
		default:
			*l.dst = int(v)
		}
	}
	if s.FeatureBase == hasZero {
		s.FeatureBase, s.Meta.Numbering = 0, dataset.FromZero
	}
	s.Params.Missing = histogram.Missing(missing)
}

// featureSize is the number of bytes of a feature in the section features.
const featureSize = 40

// mapper returns the bins of all features, and the number of rows in which each is NaN.
func (d *decoder) mapper() (*histogram.Mapper, []int64) {
	bounds, list := d.floats(upperBounds), d.sections[features]
	if len(list)%featureSize != 0 {
		d.fail("features: %d bytes are not a multiple of %d", len(list), featureSize)
	}
	m := &histogram.Mapper{Features: make([]histogram.FeatureBins, len(list)/featureSize)}
	nans := make([]int64, len(m.Features))
	for f := range m.Features {
		entry := list[f*featureSize:]
		n, kind := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if n > uint64(len(bounds)) {
			d.fail("feature %d: %d upper bounds, of %d that are left", f, n, len(bounds))
			return m, nil
		}
		if kind&^(categorical|sparse|absent) > uint64(histogram.MissingNaN) ||
			kind&(categorical|sparse) == categorical|sparse {
			d.fail("feature %d: missing values of type %d", f, kind)
		}
		var err error
		if m.Features[f], err = featureOf(entry, kind, bounds[:n:n]); err != nil {
			d.fail("feature %d: %v", f, err)
		}
		bounds, nans[f] = bounds[n:], int64(binary.LittleEndian.Uint64(entry[32:]))
	}
	if len(bounds) > 0 {
		d.fail("%d upper bounds that belong to no feature", len(bounds))
	}
	return m, nans
}

// featureOf returns the bins of a feature.
func featureOf(entry []byte, kind uint64, bounds []float64) (histogram.FeatureBins, error) {
	limit := numbersOf[float64](entry[16:32])
	b := histogram.FeatureBins{UpperBounds: bounds, Missing: histogram.Missing(kind & 3), Min: limit[0],
		Max: limit[1], Sparse: kind&sparse != 0}
	if kind&categorical != 0 {
		categories, err := categoriesOf(bounds)
		if err != nil {
			return b, err
		}
		b.Categories, b.UpperBounds = categories, nil
	}
	return histogram.NewFeatureBins(b)
}

// categoriesOf returns the categories of numbers.
func categoriesOf(values []float64) ([]int32, error) {
	categories := make([]int32, len(values))
	for i, v := range values {
		if !(v >= 0 && v <= histogram.MaxCategory && v == math.Trunc(v)) {
			return nil, fmt.Errorf("category %v", v)
		}
		categories[i] = int32(v)
	}
	return categories, nil
}

// meta reads everything about rows and queries except the bins.
func (d *decoder) meta(m *dataset.Meta, numFeatures int) {
	m.Features = d.texts(featureNames, d.sections[featureNames], numFeatures)
	for f, list := 0, d.sections[features]; f < numFeatures; f++ {
		if list[f*featureSize+8]&absent != 0 {
			m.Absent = append(m.Absent, f)
		}
	}
	for _, s := range rowSections(m) {
		*s.values = d.floats(s.number)
	}
	m.Queries = d.queries()
	d.labels(m)
	d.positions(m)
	m.Dictionaries = d.dictionaries(numFeatures)
	if d.err != nil {
		return
	}
	if err := m.Check(); err != nil {
		d.fail("%v", err)
	}
}

// labels reads further labels and names, if the file has them. Before version 8, it could have a second label
// without a name.
func (d *decoder) labels(m *dataset.Meta) {
	section, rows := d.sections[moreLabels], m.NumRows()
	if len(section) == 0 || d.err != nil {
		return
	}
	if d.stored < versionLabels {
		m.More = []dataset.Labels{{Name: "label2", Values: d.floats(moreLabels)}}
		return
	}
	n := binary.LittleEndian.Uint64(section[:min(8, len(section)):8])
	if rest := uint64(len(section) - 8); n > rest/8/uint64(max(1, rows)) {
		d.fail("%d further labels of %d rows do not fit", n, rows)
		return
	}
	end := 8 + 8*rows*int(n)
	names := d.texts(moreLabels, section[end:], int(n)+1)
	if d.err != nil {
		return
	}
	m.LabelName = names[0]
	for i, name := range names[1:] {
		values := slices.Clone(numbersOf[float64](section[8+8*rows*i : 8+8*rows*(i+1)]))
		m.More = append(m.More, dataset.Labels{Name: name, Values: values})
	}
}

// positions reads where documents were shown, if the file has that.
func (d *decoder) positions(m *dataset.Meta) {
	values, names := d.integers(positions), d.sections[positionNames]
	switch {
	case len(values) == 0 && len(names) > 0:
		d.fail("%s: %d bytes that belong to nothing", sectionNames[positionNames], len(names))
		return
	case len(values) == 0:
		return
	case values[0] > uint64(len(values)):
		d.fail("%d names of %d positions", values[0], len(values)-1)
		return
	}
	m.PositionNames = d.texts(positionNames, names, int(values[0]))
	m.Positions = make([]int32, len(values)-1)
	for row, v := range values[1:] {
		if v >= values[0] {
			d.fail("the position of row %d is number %d of %d", row, v, values[0])
		}
		m.Positions[row] = int32(v)
	}
}

// dictionaries reads what encodeDictionaries writes.
func (d *decoder) dictionaries(features int) map[int][]string {
	section := d.sections[dictionaries]
	if len(section) == 0 {
		return nil
	}
	head := numbersOf[uint64](section)
	if len(head) == 0 || head[0] > uint64(features) || len(head) <= 2*int(head[0]) {
		d.fail(wrongDictionaries)
		return nil
	}
	head = head[1 : 1+2*head[0]]
	total, last := 0, -1
	for i := 0; i < len(head); i += 2 {
		feature, words := head[i], head[i+1]
		if feature >= uint64(features) || int(feature) <= last || words > uint64(len(section)) {
			d.fail(wrongDictionaries)
			return nil
		}
		last, total = int(feature), total+int(words)
	}
	words := d.texts(dictionaries, section[8+8*len(head):], total)
	all := map[int][]string{}
	for i := 0; i < len(head) && d.err == nil; i += 2 {
		n := head[i+1]
		all[int(head[i])], words = words[:n:n], words[n:]
	}
	return all
}

const wrongDictionaries = "dictionaries that do not fit the features"

func (d *decoder) queries() []dataset.Query {
	counts := d.integers(queryLengths)
	names := d.texts(queryIDs, d.sections[queryIDs], len(counts))
	queries, first := make([]dataset.Query, len(names)), 0
	for i, name := range names {
		if counts[i] > math.MaxInt32 {
			d.fail("query %d (%q) has %d rows", i, name, counts[i])
			return nil
		}
		queries[i] = dataset.Query{ID: name, First: first, Len: int(counts[i])}
		first += int(counts[i])
	}
	return queries
}

// integers returns the integers of a section, in its memory if possible.
func (d *decoder) integers(number int) []uint64 { return numbersIn[uint64](d, number) }

// floats returns the float64s of a section, nil if it is empty.
func (d *decoder) floats(number int) []float64 { return slices.Clone(numbersIn[float64](d, number)) }

func numbersIn[T uint64 | float64](d *decoder, number int) []T {
	section := d.sections[number]
	if len(section)%8 != 0 {
		d.fail("%s: %d bytes are not a multiple of 8", sectionNames[number], len(section))
	}
	return numbersOf[T](section)
}

// texts returns the n texts of a section, or of the rest of it.
func (d *decoder) texts(number int, section []byte, n int) []string {
	if len(section)/8 < n {
		d.fail("%s: %d bytes are too few for %d texts", sectionNames[number], len(section), n)
		return nil
	}
	all := make([]string, n)
	content, begin := string(section[n*8:]), uint64(0)
	for i := range all {
		end := binary.LittleEndian.Uint64(section[i*8:])
		if end < begin || end > uint64(len(content)) {
			d.fail("%s: text %d ends at %d, in %d bytes", sectionNames[number], i, end, len(content))
			return nil
		}
		all[i], begin = content[begin:end], end
	}
	if begin != uint64(len(content)) {
		d.fail("%s: %d bytes after the last text", sectionNames[number], uint64(len(content))-begin)
	}
	return all
}

// difference describes how the bins of o differ from the bins of m, such as "feature 3 has 5 bins instead of
// 255". It returns "" if all are the same.
func difference(m, o *histogram.Mapper) string {
	if len(m.Features) != len(o.Features) {
		return fmt.Sprintf("%d features instead of %d", len(o.Features), len(m.Features))
	}
	for f := range m.Features {
		if d := featureDifference(&m.Features[f], &o.Features[f]); d != "" {
			return fmt.Sprintf("feature %d has %s", f, d)
		}
	}
	return ""
}

// featureDifference describes how o differs from f, or returns "".
func featureDifference(f, o *histogram.FeatureBins) string {
	if f.IsCategorical() != o.IsCategorical() {
		return "numbers instead of categories, or categories instead of numbers"
	}
	if f.Missing != o.Missing {
		return fmt.Sprintf("missing values of type %d instead of %d", o.Missing, f.Missing)
	}
	if f.NumBins() != o.NumBins() {
		return fmt.Sprintf("%d bins instead of %d", o.NumBins(), f.NumBins())
	}
	for b, c := range f.Categories {
		if o.Categories[b] != c {
			return fmt.Sprintf("category %d instead of %d in bin %d", o.Categories[b], c, b+1)
		}
	}
	for b, u := range f.UpperBounds {
		if o.UpperBounds[b] != u {
			return fmt.Sprintf("bin %d up to %v instead of %v", b, o.UpperBounds[b], u)
		}
	}
	if f.Min != o.Min || f.Max != o.Max {
		return fmt.Sprintf("values from %v to %v instead of %v to %v", o.Min, o.Max, f.Min, f.Max)
	}
	if f.Sparse != o.Sparse {
		return "its bins stored densely instead of sparsely, or sparsely instead of densely (is_enable_sparse)"
	}
	return ""
}

// number is the type of the elements of a section that is used in place.
type number interface {
	int64 | uint32 | uint64 | float64
}

// isLittleEndian reports whether numbers are stored in memory as in a file.
func isLittleEndian() bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}

// numbersOf returns the little-endian numbers of a section: in its memory if the machine is little-endian,
// and copies otherwise.
func numbersOf[T number](section []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(section) / size
	if n == 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(section))
	if isLittleEndian() && uintptr(first)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(first), n)
	}
	values := make([]T, n)
	if _, err := binary.Decode(section, binary.LittleEndian, values); err != nil {
		panic(err) // the section has as many bytes
	}
	return values
}

// bytesOf is the inverse of numbersOf.
func bytesOf[T number](values []T) []byte {
	var zero T
	if len(values) > 0 && isLittleEndian() {
		return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(zero)))
	}
	section, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // numbers have a size
	}
	return section
}
