package binned

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/outofcore"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/widened"
)

// decode makes a set of the bytes of a file, which the set keeps. It allocates memory in proportion to them,
// whatever numbers they contain. If passes read the file by read, because memory is scarce, the labels and
// the other numbers of rows also stay in data, whose pages the system can drop.
func decode(data []byte, read outofcore.Reader, pool *par.Pool) (*Set, error) {
	s, sums, err := divide(data)
	if err != nil {
		return nil, err
	}
	sum := sumWith(pool, read)
	for i, section := range s.stored() {
		if sum(section) != sums[i] {
			return nil, fault(ErrDamaged, "the checksum of the %s is wrong", sectionNames[i])
		}
	}
	set := &Set{Meta: &dataset.Meta{}}
	if err := set.decodeParameters(s[parameters]); err != nil {
		return nil, err
	}
	mapper, nans, err := decodeMapper(s[features], s[upperBounds])
	if err != nil {
		return nil, err
	}
	set.Meta.Absent = decodeAbsent(s[features])
	if err := set.decodeMeta(&s, len(mapper.Features), read != nil); err != nil {
		return nil, err
	}
	set.Params.Categorical = ChoiceOf(mapper)
	set.Params.Sparse = hasSparse(mapper)
	if set.Bins, err = decodeBins(s[bins], mapper, set.Meta.NumRows(), nans, read, pool.Workers()); err != nil {
		return nil, err
	}
	return set, nil
}

// hasSparse reports whether any column of a matrix is sparse.
func hasSparse(m *histogram.Mapper) bool {
	return slices.ContainsFunc(m.Features, func(f histogram.FeatureBins) bool {
		return f.Sparse && !f.Constant()
	})
}

// decodeBins returns a matrix that uses the memory of a section if possible.
func decodeBins(section []byte, m *histogram.Mapper, rows int, nans []int64, read outofcore.Reader,
	workers int) (*histogram.Matrix, error) {
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
	x, err := histogram.FromRaw(m, histogram.Raw{Rows: rows, NaNs: nans, Bins: section, Sparse: sparse,
		Read: read}, workers)
	if err != nil {
		return nil, fault(ErrInvalid, "%v", err)
	}
	return x, nil
}

// numParameters is the number of integers of the section parameters without query context.
const numParameters = 8

func (s *Set) decodeParameters(section []byte) error {
	values, err := integers(section, parameters)
	if err != nil {
		return err
	}
	if len(values) < numParameters {
		return fault(ErrInvalid, "%d parameters; wanted %d", len(values), numParameters)
	}
	if s.Meta.Context, err = widened.ColumnsOf(values[numParameters:]); err != nil {
		return fault(ErrInvalid, "%v", err)
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
		{&s.FeatureBase, "feature_base", 0, 2},
		{&s.Meta.EmptyQueries, "number of empty queries", 0, most},
		{&missing, "type of missing values", 0, uint64(histogram.MissingNaN) + 1},
		{&s.Meta.LabelColumn, "column of the label", 0, most},
	}
	for i, l := range limits {
		switch v := values[i]; {
		case l.dst == nil:
			s.Params.Seed = v
		case v < l.least || v >= l.above || uint64(int(v)) != v:
			return fault(ErrInvalid, "the %s is %d", l.name, v)
		default:
			*l.dst = int(v)
		}
	}
	s.Params.Missing = histogram.Missing(missing)
	return nil
}

// featureSize is the number of bytes of a feature in the section features.
const featureSize = 40

// decodeMapper reads the bins of all features, and the number of rows in which each is NaN.
func decodeMapper(list, bounds []byte) (*histogram.Mapper, []int64, error) {
	all, err := floats(bounds, upperBounds)
	if err != nil {
		return nil, nil, err
	}
	if len(list)%featureSize != 0 {
		return nil, nil, fault(ErrInvalid, "features: %d bytes are not a multiple of %d", len(list), featureSize)
	}
	m := &histogram.Mapper{Features: make([]histogram.FeatureBins, len(list)/featureSize)}
	nans := make([]int64, len(m.Features))
	for f := range m.Features {
		entry := list[f*featureSize:]
		n, kind := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if n > uint64(len(all)) {
			return nil, nil, fault(ErrInvalid, "feature %d: %d upper bounds, of %d that are left", f, n, len(all))
		}
		if kind&^(categorical|sparse|absent) > uint64(histogram.MissingNaN) ||
			kind&(categorical|sparse) == categorical|sparse {
			return nil, nil, fault(ErrInvalid, "feature %d: missing values of type %d", f, kind)
		}
		b := histogram.FeatureBins{UpperBounds: all[:n:n], Missing: histogram.Missing(kind & 3),
			Min: float(entry[16:]), Max: float(entry[24:]), Sparse: kind&sparse != 0}
		if kind&categorical != 0 {
			b.Categories, err = categoriesOf(b.UpperBounds)
			b.UpperBounds = nil
		}
		if err == nil {
			m.Features[f], err = histogram.NewFeatureBins(b)
		}
		if err != nil {
			return nil, nil, fault(ErrInvalid, "feature %d: %v", f, err)
		}
		all, nans[f] = all[n:], int64(binary.LittleEndian.Uint64(entry[32:]))
	}
	if len(all) > 0 {
		return nil, nil, fault(ErrInvalid, "%d upper bounds that belong to no feature", len(all))
	}
	return m, nans, nil
}

// decodeAbsent returns the features that no row can have.
func decodeAbsent(list []byte) (all []int) {
	for f := range len(list) / featureSize {
		if binary.LittleEndian.Uint64(list[f*featureSize+8:])&absent != 0 {
			all = append(all, f)
		}
	}
	return all
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

// ChoiceOf returns the numbers of the categorical features, in the form of histogram.BinParams.Categorical.
func ChoiceOf(m *histogram.Mapper) string {
	var numbers []string
	for f := range m.Features {
		if m.Features[f].IsCategorical() {
			numbers = append(numbers, strconv.Itoa(f))
		}
	}
	return strings.Join(numbers, ",")
}

// decodeMeta reads everything about rows and queries except the bins.
func (s *Set) decodeMeta(in *sections, numFeatures int, scarce bool) (err error) {
	floats := floats
	if scarce {
		floats = floatsInPlace
	}
	if s.Meta.Features, err = texts(in[featureNames], numFeatures, featureNames); err != nil {
		return err
	}
	if s.Meta.Labels, err = floats(in[labels], labels); err != nil {
		return err
	}
	if s.Meta.Weights, err = floats(in[weights], weights); err != nil {
		return err
	}
	if s.Meta.InitialScores, err = floats(in[initialScores], initialScores); err != nil {
		return err
	}
	if s.Meta.Queries, err = decodeQueries(in[queryLengths], in[queryIDs]); err != nil {
		return err
	}
	if s.Meta.SecondLabels, err = floats(in[secondLabels], secondLabels); err != nil {
		return err
	}
	if err := s.decodePositions(in); err != nil {
		return err
	}
	if s.Meta.Dictionaries, err = decodeDictionaries(in[dictionaries], numFeatures); err != nil {
		return err
	}
	if err := s.Meta.Check(); err != nil {
		return fault(ErrInvalid, "%v", err)
	}
	return nil
}

// decodePositions reads where documents were shown, if the file has that.
func (s *Set) decodePositions(in *sections) error {
	values, err := integers(in[positions], positions)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return none(in[positionNames], positionNames)
	}
	if values[0] > uint64(len(values)) {
		return fault(ErrInvalid, "%d names of %d positions", values[0], len(values)-1)
	}
	if s.Meta.PositionNames, err = texts(in[positionNames], int(values[0]), positionNames); err != nil {
		return err
	}
	s.Meta.Positions = make([]int32, len(values)-1)
	for row, v := range values[1:] {
		if v >= values[0] {
			return fault(ErrInvalid, "the position of row %d is number %d of %d", row, v, values[0])
		}
		s.Meta.Positions[row] = int32(v)
	}
	return nil
}

// none returns an error unless a section is empty.
func none(section []byte, number int) error {
	if len(section) > 0 {
		return fault(ErrInvalid, "%s: %d bytes that belong to nothing", sectionNames[number], len(section))
	}
	return nil
}

// decodeDictionaries reads what encodeDictionaries writes.
func decodeDictionaries(section []byte, features int) (map[int][]string, error) {
	if len(section) == 0 {
		return nil, nil
	}
	wrong := fault(ErrInvalid, "dictionaries that do not fit the features")
	next := func() uint64 {
		if len(section) < 8 {
			return math.MaxUint64
		}
		v := binary.LittleEndian.Uint64(section)
		section = section[8:]
		return v
	}
	n := next()
	if n > uint64(features) {
		return nil, wrong
	}
	order, lengths, total := []int{}, []int{}, 0
	for i := range n {
		feature, words := next(), next()
		if feature >= uint64(features) || i > 0 && int(feature) <= order[i-1] || words > uint64(len(section)) {
			return nil, wrong
		}
		order, lengths, total = append(order, int(feature)), append(lengths, int(words)), total+int(words)
	}
	words, err := texts(section, total, dictionaries)
	if err != nil {
		return nil, err
	}
	all := make(map[int][]string, len(order))
	for i, feature := range order {
		all[feature], words = words[:lengths[i]:lengths[i]], words[lengths[i]:]
	}
	return all, nil
}

func decodeQueries(lengths, ids []byte) ([]dataset.Query, error) {
	counts, err := integers(lengths, queryLengths)
	if err != nil {
		return nil, err
	}
	names, err := texts(ids, len(counts), queryIDs)
	if err != nil {
		return nil, err
	}
	queries := make([]dataset.Query, len(counts))
	first := 0
	for i, n := range counts {
		if n > math.MaxInt32 {
			return nil, fault(ErrInvalid, "query %d (%q) has %d rows", i, names[i], n)
		}
		queries[i] = dataset.Query{ID: names[i], First: first, Len: int(n)}
		first += int(n)
	}
	return queries, nil
}

// integers returns the integers that a section consists of.
func integers(section []byte, number int) ([]uint64, error) {
	if len(section)%8 != 0 {
		return nil, fault(ErrInvalid, "%s: %d bytes are not a multiple of 8", sectionNames[number], len(section))
	}
	values := make([]uint64, len(section)/8)
	for i := range values {
		values[i] = binary.LittleEndian.Uint64(section[i*8:])
	}
	return values, nil
}

// floats returns the float64s that a section consists of, nil if it is empty.
func floats(section []byte, number int) ([]float64, error) {
	if len(section)%8 != 0 {
		return nil, fault(ErrInvalid, "%s: %d bytes are not a multiple of 8", sectionNames[number], len(section))
	}
	if len(section) == 0 {
		return nil, nil
	}
	values := make([]float64, len(section)/8)
	for i := range values {
		values[i] = float(section[i*8:])
	}
	return values, nil
}

// floatsInPlace is like floats, but returns the memory of the section if the machine is little-endian.
func floatsInPlace(section []byte, number int) ([]float64, error) {
	if len(section)%8 != 0 {
		return floats(section, number)
	}
	return numbersOf[float64](section), nil
}

func float(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// texts returns the n texts of a section.
func texts(section []byte, n, number int) ([]string, error) {
	if len(section)/8 < n {
		return nil, fault(ErrInvalid, "%s: %d bytes are too few for %d texts", sectionNames[number], len(section),
			n)
	}
	all := make([]string, n)
	content, begin := string(section[n*8:]), uint64(0)
	for i := range all {
		end := binary.LittleEndian.Uint64(section[i*8:])
		if end < begin || end > uint64(len(content)) {
			return nil, fault(ErrInvalid, "%s: text %d ends at %d, in %d bytes", sectionNames[number], i, end,
				len(content))
		}
		all[i], begin = content[begin:end], end
	}
	if begin != uint64(len(content)) {
		return nil, fault(ErrInvalid, "%s: %d bytes after the last text", sectionNames[number],
			uint64(len(content))-begin)
	}
	return all, nil
}
