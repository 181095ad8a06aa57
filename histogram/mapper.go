package histogram

import "fmt"

// Mapper holds the bins of every feature. The same mapper must bin all data of a training run, because bins
// of different mappers cannot be compared. It is read-only once made, and any number of goroutines may use
// it.
type Mapper struct {
	Features []FeatureBins // by feature number

	stored float64 // estimate from the sample: mean number of stored bins of sparse columns per row
}

// Size returns the number of columns of a matrix, one for each feature that is not constant, and the number
// of their bins.
func (m *Mapper) Size() (columns, bins int) {
	counts := m.binCounts()
	for _, n := range counts {
		bins += n
	}
	return len(counts), bins
}

// Bytes returns how many bytes a matrix of this many rows takes. For sparse columns, it is an estimate from
// the sample.
func (m *Mapper) Bytes(rows int) int {
	return rows*m.Stride() + m.sparseBytes(rows)
}

// Stride returns the number of bytes of a row of a matrix, not counting the bins of sparse columns.
func (m *Mapper) Stride() int {
	_, stride := layout(m.binCounts(), m.sparse())
	return stride
}

// columns returns the features that are not constant, ascending.
func (m *Mapper) columns() []int32 {
	var used []int32
	for f := range m.Features {
		if !m.Features[f].Constant() {
			used = append(used, int32(f))
		}
	}
	return used
}

// binCounts returns the number of bins of each column.
func (m *Mapper) binCounts() []int {
	var counts []int
	for _, f := range m.columns() {
		counts = append(counts, m.Features[f].NumBins())
	}
	return counts
}

// canBin returns an error if the bins of a feature were not made by this package, and so have no lookup.
func (m *Mapper) canBin() error {
	for f := range m.Features {
		if m.Features[f].lookup == nil {
			return fmt.Errorf("%w: feature %d was made without NewFeatureBins", ErrRaw, f)
		}
	}
	return nil
}
