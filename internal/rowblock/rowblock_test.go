package rowblock

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// random returns a random value that often repeats and may be a special value.
func random[F Float](rng *rand.Rand, nan bool) F {
	switch rng.IntN(8) {
	case 0:
		special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat32,
			math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, 1e300}
		return F(special[rng.IntN(len(special))])
	case 1:
		if nan {
			return F(math.NaN())
		}
	}
	return F(rng.IntN(41) - 20)
}

func TestMapsEqualTheLoop(t *testing.T) {
	defer func(had bool) { has512 = had }(has512)
	for _, has := range []bool{false, has512} {
		has512 = has
		testEqual[float32](t)
		testEqual[float64](t)
	}
}

func testEqual[F Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := (*[Values]F)(aid.NewFence[F](t, Values).Slice(Values, true))
	cuts, maps := aid.NewFence[F](t, 70), aid.NewFence[uint64](t, 210)
	for n := range 70 {
		for i := range values {
			values[i] = random[F](rng, true)
		}
		thresholds := cuts.Slice(n, true)
		for i := range thresholds {
			thresholds[i] = random[F](rng, false)
		}
		stride := 1 + n%3
		got := maps.Slice(max(0, (n-1)*stride+1), true)
		copied := *values
		missing := random[F](rng, true)
		for i := range got {
			got[i] = 0x5555
		}
		want := slices.Clone(got)
		mapsInGo(want, stride, &copied, missing, thresholds)
		Maps(got, stride, values, missing, thresholds)
		require.Equal(t, want, got, "%T", F(0))
	}
}

// TestBitsAreInOrder: in turn, each value alone exceeds the threshold, which would reveal swapped bits.
func TestBitsAreInOrder(t *testing.T) {
	testOrder[float32](t)
	testOrder[float64](t)
}

func testOrder[F Float](t *testing.T) {
	for i := range Values {
		var values [Values]F
		values[i] = 1
		maps := make([]uint64, 3)
		Maps(maps, 1, &values, F(math.NaN()), []F{0, 1, -1})
		assert.Equal(t, []uint64{1 << i, 0, math.MaxUint64}, maps, "%T", F(0))
		values[i] = F(math.NaN())
		Maps(maps, 1, &values, F(math.NaN()), []F{0, F(math.Inf(1)), -1})
		assert.Equal(t, []uint64{1 << i, 1 << i, math.MaxUint64}, maps, "%T", F(0))
	}
}

func TestMapsMustHaveRoom(t *testing.T) {
	var values [Values]float32
	assert.Panics(t, func() { Maps(make([]uint64, 2), 2, &values, 0, []float32{0, 1}) })
	Maps(nil, 1, &values, 0, nil)
}

// TestLeavesFollowEachRow sends rows one by one down trees whose nodes may split any earlier slot.
func TestLeavesFollowEachRow(t *testing.T) {
	if !HasKernel {
		t.Skip("there is no kernel")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	const conditions = 40
	maps := aid.NewFence[uint64](t, conditions*Words).Slice(conditions*Words, true)
	all := aid.NewFence[uint32](t, 256)
	codes := (*[8 * Words]uint64)(aid.NewFence[uint64](t, 8*Words).Slice(8*Words, true))
	slots := (*[(256 + 8) * Words]uint64)(aid.NewFence[uint64](t, (256+8)*Words).Slice((256+8)*Words, true))
	for n := range 256 {
		for i := range maps {
			maps[i] = rng.Uint64() | rng.Uint64()
		}
		nodes := all.Slice(n, true)
		for i := range nodes {
			nodes[i] = uint32(rng.IntN(conditions)<<8 | rng.IntN(i+1))
		}
		Leaves(codes, slots, maps, nodes)
		for row := range Words * Values {
			slot := uint32(0)
			for i, node := range nodes {
				if slot == node&0xff && maps[int(node>>8)*Words+row/Values]>>(row%Values)&1 != 0 {
					slot = uint32(i + 1)
				}
			}
			code := codes[row%8*Words+row/Values] >> (row % Values &^ 7) & 0xff
			require.Equal(t, uint64(slot^slot>>1), code, "row %d of a tree of %d nodes", row, n)
		}
	}
}

func TestColumnsEqualTheLoop(t *testing.T) {
	testColumns[float32](t)
	testColumns[float64](t)
}

func testColumns[F Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	all := aid.NewFence[F](t, Values*(Width+20))
	for n := range Values + 1 {
		stride := Width + rng.IntN(20)
		first := rng.IntN(stride - Width + 1)
		rows := all.Slice(n*stride, true)
		for i := range rows {
			rows[i] = F(i)
		}
		var got, want [Width][Values]F
		got[3][Values-1], want[3][Values-1] = -1, -1
		Columns(&got, rows, stride, first)
		columnsInGo(&want, rows, stride, first, 0)
		require.Equal(t, want, got, "%d rows, %T", n, F(0))
		for i := range n {
			require.Equal(t, rows[i*stride+first+5], got[5][i])
		}
	}
}

func TestInfinitiesAreFound(t *testing.T) {
	testInfinite[float32](t)
	testInfinite[float64](t)
}

func testInfinite[F Float](t *testing.T) {
	largest := math.MaxFloat64
	if math.IsInf(float64(F(largest)), 0) {
		largest = math.MaxFloat32
	}
	all := aid.NewFence[F](t, 40)
	for n := range 40 {
		values := all.Slice(n, true)
		for i := range values {
			values[i] = []F{0, 1, F(math.NaN()), F(largest), F(-largest)}[i%5]
		}
		assert.Equal(t, -1, Infinite(values), "%T, %v", F(0), values)
		for i := range values {
			for _, inf := range []int{1, -1} {
				before := [2]F{values[i], values[n-1]}
				values[i], values[n-1] = F(math.Inf(inf)), F(math.Inf(1))
				assert.Equal(t, i, Infinite(values), "%T, %v", F(0), values)
				values[i], values[n-1] = before[0], before[1]
			}
		}
	}
}

// randomWalks draws walks down trees of a few clusters each. An exit of a cluster leads to any later cluster
// of the tree or to a leaf.
func randomWalks(rng *rand.Rand, trees int) (Walks, []Cluster) {
	const each = 5
	w, clusters := NewWalks(trees), make([]Cluster, trees*each)
	for i := range clusters {
		c := &clusters[i]
		for j := range c.Byte {
			c.Byte[j], c.Index[j] = uint8(rng.IntN(Bytes)), uint8(rng.IntN(256))
			if c.Exit[j] = LeafExit | uint16(rng.IntN(LeafExit)); i%each < each-1 && rng.IntN(4) > 0 {
				c.Exit[j] = uint16(i%each + 1 + rng.IntN(each-1-i%each))
			}
		}
		c.Index[7] = 255
	}
	for i := range trees {
		w.Root[i], w.Tree[i] = uint32(i*each*ClusterSize), uint32(i)
	}
	copy(w.At, w.Root)
	return w, clusters
}

func TestStepsEqualTheLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	row := (*[Bytes]uint8)(aid.NewFence[uint8](t, Bytes).Slice(Bytes, true))
	fenced := aid.NewFence[Cluster](t, 70*5)
	var numbers [4]aid.Fence[uint32]
	for i := range numbers {
		numbers[i] = aid.NewFence[uint32](t, 70+Lanes)
	}
	for trees := range 70 {
		want, drawn := randomWalks(rng, trees)
		clusters := fenced.Hold(drawn, true)
		got := Walks{numbers[0].Hold(want.At, true), numbers[1].Hold(want.Root, true),
			numbers[2].Hold(want.Tree, true), numbers[3].Hold(want.Ends, true)}
		for i := range row {
			row[i] = uint8(rng.IntN(256))
		}
		for n := trees; n > 0; {
			open := want.stepInGo(clusters, row, n)
			require.Equal(t, open, got.Step(clusters, row, n))
			n = open
			require.Equal(t, want.Ends[:trees], got.Ends[:trees])
			require.Equal(t, want.At[:n], got.At[:n])
			require.Equal(t, want.Root[:n], got.Root[:n])
			require.Equal(t, want.Tree[:n], got.Tree[:n])
		}
	}
}
