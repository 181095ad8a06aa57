package binsum

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/test/aid"
)

// randomRows draws rows whose columns have 2 to 255 bins.
func randomRows(rng *rand.Rand, rows, columns int) *Rows {
	return randomRowsOf(rng, rows, columns, 255)
}

// randomRowsOf draws rows whose columns have 2 to most bins. If most is small, columns share bytes.
func randomRowsOf(rng *rand.Rand, rows, columns, most int) *Rows {
	return Of(randomMatrix(rng, rows, columns, most))
}

func randomMatrix(rng *rand.Rand, rows, columns, most int) *histogram.Matrix {
	m := &histogram.Mapper{}
	for range columns {
		n := 2 + rng.IntN(most-1)
		bounds := make([]float64, n)
		for b := range bounds {
			bounds[b] = float64(b)
		}
		bounds[n-1] = math.Inf(1)
		m.Features = append(m.Features, must(histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: bounds,
			Missing: histogram.MissingNone, Min: 0, Max: float64(n)})))
	}
	bins := make([]uint8, m.Bytes(rows))
	x := must(histogram.FromRaw(m, histogram.Raw{Rows: rows, NaNs: make([]int64, columns), Bins: bins}, 1))
	for r := range rows {
		for c := range x.Columns {
			f := x.Fields[int32(c)]
			bin, row := rng.IntN(m.Features[c].NumBins()), x.Row(r)
			if f.Wide {
				binary.LittleEndian.PutUint16(row[f.At:], uint16(bin))
			} else {
				row[f.At] |= uint8(bin) << f.Shift
			}
		}
	}
	return x
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// row returns the bytes of a row.
func (x *Rows) row(r int) []uint8 { return x.bins[r*x.stride:][:x.stride] }

// At returns the bin of a row in a column.
func (x *Rows) At(row, column int32) uint16 {
	if x.fields[column].Sparse {
		return x.sparseAt(row, column)
	}
	return x.fields[column].Of(x.row(int(row)))
}

// randomValues draws values; about an eighth of them are 0.
func randomValues(rng *rand.Rand, rows int) []int64 {
	values := make([]int64, rows)
	for r := range values {
		if rng.IntN(8) > 0 {
			values[r] = rng.Int64N(1<<40) - 1<<39
		}
	}
	return values
}

// buildNaive is the definition of Build for a batch of the given rows.
func (x *Rows) buildNaive(tiles []Tile, part Part, rows []int32, values []int64) {
	for _, r := range rows {
		for i := range tiles {
			tiles[i][x.row(int(r))[part.First+i]] += values[r]
		}
	}
}

// allParts returns all parts of up to three halves of groups that a row has.
func (x *Rows) allParts() (all []Part) {
	for first := 0; first < x.stride; first += halfGroup {
		for end := first + halfGroup; end <= min(x.stride, first+3*halfGroup); end += halfGroup {
			all = append(all, Part{first, end})
		}
	}
	return all
}

// naiveSums is the definition of the sums of rows by bin, in the given columns of any kind.
func naiveSums(x *Rows, columns, rows []int32, values []int64) Histogram {
	h := make(Histogram, x.NumBins())
	for _, c := range columns {
		for _, r := range rows {
			x.of(h, c)[x.At(r, c)] += values[r]
		}
	}
	return h
}

func TestBuildEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, columns := range []int{1, 7, 8, 9, 17, 33, 65} {
		x := randomRows(rng, 500, columns)
		values := randomValues(rng, 500)
		x.bins = aid.NewFence[uint8](t, len(x.bins)).Hold(x.bins, true)
		f := &buildFences{aid.NewFence[int32](t, 500), aid.NewFence[int64](t, 500),
			aid.NewFence[Tile](t, 3*halfGroup), aid.NewFence[uint8](t, len(x.bins)), aid.NewFence[int64](t, 500)}
		for _, n := range []int{0, 1, 2, 3, 60, 499, 500} {
			rows := firstRows(rng, 500, n)
			for i, part := range x.allParts() {
				f.checkBuild(t, x, part, rows, values, i%2 > 0)
			}
		}
	}
}

// buildFences are the memory of what Take and Build read and write.
type buildFences struct {
	rows   aid.Fence[int32]
	values aid.Fence[int64]
	tiles  aid.Fence[Tile]
	bins   aid.Fence[uint8] // of the batch
	taken  aid.Fence[int64]
}

// checkBuild compares with the definition, with all memory at an end beyond which nothing can be accessed.
func (f *buildFences) checkBuild(t *testing.T, x *Rows, part Part, rows []int32, values []int64, atEnd bool) {
	rows, values = f.rows.Hold(rows, atEnd), f.values.Hold(values, atEnd)
	got, want := f.tiles.Slice(part.size(), atEnd), make([]Tile, part.size())
	clear(got)
	b := &Batch{bins: f.bins.Slice(len(rows)*(x.numTiles()-part.group())*groupSize, atEnd),
		values: f.taken.Slice(len(rows), atEnd)}
	b.Take(x, rows, part.group(), x.numTiles(), values)
	b.Build(got, part)
	x.buildNaive(want, part, rows, values)
	require.Equal(t, want, got)
	clear(got)
	clear(b.bins)
	clear(b.values)
	b.takeInGo(x, rows, values) // the path without assembly
	b.buildInGo(got, part)
	require.Equal(t, want, got)
}

// batchOf returns a batch of the given rows, starting at the given group.
func batchOf(x *Rows, rows []int32, group int, values []int64) *Batch {
	b := new(Batch)
	b.Take(x, rows, group, x.numTiles(), values)
	return b
}

// firstRows returns n distinct random row numbers below rows.
func firstRows(rng *rand.Rand, rows, n int) []int32 {
	var numbers []int32
	for _, r := range rng.Perm(rows)[:n] {
		numbers = append(numbers, int32(r))
	}
	return numbers
}

// allGroups returns all groups of x.
func allGroups(x *Rows) (all []Part) {
	for group := range x.NumGroups() {
		all = append(all, Part{group * groupSize, (group + 1) * groupSize})
	}
	return all
}

// histogramOf returns the sums of all columns.
func histogramOf(x *Rows, rows []int32, values []int64) Histogram {
	h := make(Histogram, x.NumBins())
	x.NewBuilder().Sum(x, h, nil, allGroups(x), rows, values, nil, nil, func(int) {})
	return h
}

// TestHistogramEqualsSumsByColumn compares with a loop over single columns, for columns that share bytes,
// byte columns and wide columns, and for any number of rows, also none.
func TestHistogramEqualsSumsByColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for _, most := range []int{2, 3, 16, 40, 255, 400, 700, histogram.MostBins} {
		for _, columns := range []int{1, 3, 4, 5, 8, 9, 30} {
			x := randomRowsOf(rng, 400, columns, most)
			for _, n := range []int{0, 1, 300} {
				values, rows := randomValues(rng, 400), firstRows(rng, 400, n)
				require.Equal(t, naiveSums(x, upTo(columns), rows, values), histogramOf(x, rows, values))
			}
		}
	}
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int32 {
	var all []int32
	for i := range int32(n) {
		all = append(all, i)
	}
	return all
}

func TestSubtractEqualsDirect(t *testing.T) {
	for _, most := range []int{5, 255, 1000} {
		testSubtract(t, most)
	}
}

func testSubtract(t *testing.T, most int) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := randomRowsOf(rng, 300, 13, most)
	values := randomValues(rng, 300)
	rows := firstRows(rng, 300, 300)
	parent, left := histogramOf(x, rows, values), make(Histogram, x.NumBins())
	builder, other, done, remaining := x.NewBuilder(), x.NewBuilder(), 0, rows[:120]
	if groups := allGroups(x); x.HasBytes(groups[len(groups)-1]) {
		builder.Add(x, groups, rows[:40], values)
		other.Add(x, groups, rows[40:100], values)
		builder.Collect(x, []*Builder{other, builder}, groups)
		remaining = rows[100:120]
	}
	builder.Sum(x, left, parent, allGroups(x), remaining, values, nil, nil, func(i int) {
		assert.Equal(t, done, i)
		done++
	})
	assert.Equal(t, x.NumGroups(), done)
	assert.Equal(t, make([]Tile, x.stride), builder.tiles)
	assert.Equal(t, make([]Tile, x.stride), other.tiles)
	assert.Equal(t, histogramOf(x, rows[:120], values), left)
	assert.Equal(t, histogramOf(x, rows[120:], values), parent)
}

// TestBuildBeyond31Bits adds rows at offsets beyond 2^31 and 2^32 bytes. Only their memory is touched, so
// the system need not provide the rest.
func TestBuildBeyond31Bits(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("needs 4 GB of addresses")
	}
	rows, stride := 4200, 1<<20
	x := &Rows{rows: rows, stride: stride, narrow: stride / 2, bins: make([]uint8, rows*stride),
		within: make([][]int32, stride), begin: []int32{0, 1000, 2000, 3000, 4000}}
	values := randomValues(rand.New(rand.NewPCG(18, 18)), rows)
	group := stride/2/groupSize - 1
	for i := range wideColumns {
		at := stride - groupSize + 2*i
		x.fields = append(x.fields, histogram.Field{At: int32(at), Mask: 255, Wide: true})
		x.within[at] = []int32{int32(i)}
	}
	numbers := []int32{0, 2047, 2048, 4095, 4096, 4199}
	for _, r := range numbers {
		for i := range groupSize {
			x.row(int(r))[group*groupSize+i] = uint8(int(r) + i)
			x.row(int(r))[stride-groupSize+i] = uint8(i%2) * uint8(r%3)
		}
	}
	part := Part{group * groupSize, (group + 1) * groupSize}
	got, want := make([]Tile, groupSize), make([]Tile, groupSize)
	var b Batch
	b.Take(x, numbers, group, group+1, values)
	b.Build(got, part)
	x.buildNaive(want, part, numbers, values)
	require.Equal(t, want, got)
	sums := make(Histogram, x.NumBins())
	x.buildWide(sums, x.NumGroups()-1, batchOf(x, numbers, x.NumGroups()-1, values))
	require.Equal(t, naiveSums(x, upTo(wideColumns), numbers, values), sums)
	require.NotZero(t, sums[256])
}

func TestPackedSumsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var sum Sum
	var packed int64
	for range 1000 {
		s := Sum{rng.Int64N(1<<21) - 1<<20, rng.Int64N(1 << 22)}
		sum, packed = sum.Add(s), packed+s.Pack()
		require.Equal(t, sum, Unpack(packed))
		require.Equal(t, s, Unpack(packed-sum.Sub(s).Pack()))
	}
	for _, s := range []Sum{{}, {-1, 0}, {-1, 1<<32 - 1}, {1<<31 - 1, 1<<32 - 1}, {-1 << 31, 0}} {
		assert.Equal(t, s, Unpack(s.Pack()))
	}
}

// someRows returns n distinct random row numbers below all, ascending.
func someRows(rng *rand.Rand, all, n int) []int32 {
	rows := firstRows(rng, all, n)
	slices.Sort(rows)
	return rows
}

func TestTransposeOnce(t *testing.T) {
	pool := par.New(1)
	defer pool.Close()
	x := randomRows(rand.New(rand.NewPCG(12, 12)), 20, 3)
	wide := Of(randomMatrix(rand.New(rand.NewPCG(17, 17)), 20, 3, 20000))
	require.Zero(t, wide.narrow)
	x.Transpose(pool)
	wide.Transpose(pool)
	first, ofWide := x.planes[0], wide.widePlane(0)
	x.Transpose(pool)
	wide.Transpose(pool)
	assert.Same(t, &first[0], &x.planes[0][0])
	assert.Same(t, &ofWide[0], &wide.widePlane(0)[0])
}

// TestRowsOfAMatrix: the rows share the matrix's bytes and have its bins.
func TestRowsOfAMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for _, most := range []int{4, 255, 600} {
		m := randomMatrix(rng, 50, 20, most)
		x := Of(m)
		assert.Same(t, &m.Raw().Bins[0], &x.bins[0])
		assert.Equal(t, m.NumRows(), x.NumRows())
		assert.Equal(t, m.Stride, x.NumGroups()*histogram.GroupSize)
		_, bins := m.Mapper.Size()
		assert.Equal(t, bins, x.NumBins())
		for c := range int32(len(m.Columns)) {
			assert.Equal(t, int(m.Fields[c].At)/histogram.GroupSize, x.Group(c))
			for r := range int32(m.NumRows()) {
				assert.Equal(t, m.At(r, c), x.At(r, c))
			}
		}
	}
}
