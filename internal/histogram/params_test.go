package histogram

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// defaultParams returns the defaults of package booster.
func defaultParams() BinParams {
	return BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 200000, Missing: MissingNaN, Sparse: true}
}

func TestValidateNamesEachParameter(t *testing.T) {
	assert.NoError(t, defaultParams().validate())
	for name, change := range map[string]func(p *BinParams){
		"MaxBin is 1; want 2 to 65535":          func(p *BinParams) { p.MaxBin = 1 },
		"MaxBin is 65536; want 2 to 65535":      func(p *BinParams) { p.MaxBin = 1 << 16 },
		"MinDataInBin is 0; want at least 1":    func(p *BinParams) { p.MinDataInBin = 0 },
		"SampleCount is -1; want at least 1":    func(p *BinParams) { p.SampleCount = -1 },
		"Missing is 3; want MissingNone, Missi": func(p *BinParams) { p.Missing = MissingNaN + 1 },
	} {
		p := defaultParams()
		change(&p)
		assert.ErrorIs(t, p.validate(), ErrParams)
		assert.ErrorContains(t, p.validate(), name)
	}
	none := BinParams{}.validate()
	assert.ErrorContains(t, none, "MaxBin")
	assert.ErrorContains(t, none, "SampleCount")
}

func TestReadRefusesInvalidParameters(t *testing.T) {
	src := &rowsSource{rows: [][]float64{{1}, {2}}, workers: 1}
	_, err := Read(t.Context(), src, BinParams{MaxBin: 100000, MinDataInBin: 1, SampleCount: 1})
	assert.ErrorIs(t, err, ErrParams)
	assert.Zero(t, src.scans.Load())
}

// TestFeaturesWithoutValuesShareTheirTable: a high feature number must not take memory for lookup tables of
// the unused features below it.
func TestFeaturesWithoutValuesShareTheirTable(t *testing.T) {
	p := BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 100}
	a, b := new(finder).find(nil, 5, p), new(finder).find(nil, 7, p)
	if a.lookup != b.lookup || a.Bin(3) != 0 || a.Bin(math.NaN()) != 0 {
		t.Error("two tables, or another bin than 0")
	}
}
