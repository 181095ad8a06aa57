package provenance_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// shops is a model whose trees compare feature 1 with {40} and {3}, feature 3 with {}, and feature 0 as a
// number.
func shops() *tree.Ensemble {
	node := func(f int32, d tree.Decision, set ...uint32) tree.Tree {
		return tree.Tree{Feature: []int32{f}, Threshold: []float64{0}, Decision: []tree.Decision{d},
			Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{0, 1},
			Gain: []float64{1}, InternalCount: []int64{2}, LeafCount: []int64{1, 1}, InternalValue: []float64{0},
			InternalWeight: []float64{2}, LeafWeight: []float64{1, 1},
			CategoryStart: []int32{0, int32(len(set))}, Categories: set}
	}
	return &tree.Ensemble{Features: []tree.Feature{{Name: "price", Range: "[0:9]"},
		{Name: "shop", Range: "-1:7:5"}, {Name: "unused", Range: "-1:1:2"}, {Name: "brand"}},
		Trees: []tree.Tree{node(0, tree.MissingNone), node(1, tree.Categorical, 0, 1<<8),
			node(1, tree.Categorical, 1<<3), node(3, tree.Categorical)},
		Dictionaries: map[int][]string{3: {"a", "b"}}}
}

func TestKnownCategories(t *testing.T) {
	want := []provenance.Known{{Feature: 1, Name: "shop", Categories: []int32{3, 5, 7, 40}},
		{Feature: 3, Name: "brand", Texts: 2}}
	assert.Equal(t, want, provenance.KnownCategories(shops()))
	compiled, err := tree.Compile(shops())
	require.NoError(t, err)
	assert.Equal(t, want, provenance.KnownCategories(compiled))
	assert.Nil(t, provenance.KnownCategories(nil))
	for _, c := range []struct {
		v              float64
		known, missing bool
	}{{3, true, false}, {3.9, true, false}, {4, false, false}, {1 << 40, false, false}, {-.5, false, false},
		{-1, false, true}, {math.NaN(), false, true}, {math.Inf(1), false, true}} {
		known, missing := want[0].Has(c.v)
		assert.Equal(t, []bool{c.known, c.missing}, []bool{known, missing}, c.v)
	}
	known, _ := want[1].Has(1)
	assert.True(t, known, "a text")
}

// sentencesOf returns the warnings about values of shop, of which each goroutine gets some.
func sentencesOf(values []float64, workers int) []string {
	w := provenance.NewWatch(provenance.KnownCategories(shops()))
	pool := par.New(workers)
	defer pool.Close()
	pool.Blocks(len(values), 7, func(_, from, to int) {
		var rows []float32
		for _, v := range values[from:to] {
			rows = append(rows, 1, float32(v), 2, 1)
		}
		provenance.WatchRows(w, rows, 4)
	})
	return provenance.Sentences(w.Found())
}

// TestWatch: many unknown categories and no known one are a warning, the same for all numbers of goroutines.
func TestWatch(t *testing.T) {
	unknown, missing := slices.Repeat([]float64{1002, 1001}, provenance.LeastUnknown/2), math.NaN()
	for _, workers := range []int{1, 4} {
		assert.Equal(t, []string{"column shop: the model knows none of its categories (100 cells, such as 1001; " +
			"it knows 3, 5, 7 and 1 more), so that its splits send all documents the same way: give categories the " +
			"numbers that they had in training"}, sentencesOf(append(unknown, missing, -1), workers))
		assert.Empty(t, sentencesOf(append(unknown, unknown[0], 40), workers), "a known one")
		assert.Empty(t, sentencesOf(append(unknown[1:], missing, -1), workers), "few")
	}
	provenance.WatchRows(provenance.NewWatch(nil), []float64{1}, 1)
	var none *provenance.Watch
	assert.Empty(t, none.Found())
}

// TestWatchOfPeers: a known category of one peer is enough, and cells of all count.
func TestWatchOfPeers(t *testing.T) {
	for known, want := range map[float64]int{1000: 1, 40: 0} {
		require.NoError(t, aid.Peers(3, func(g peers.Group) error {
			w := provenance.NewWatch(provenance.KnownCategories(shops()))
			for range provenance.LeastUnknown / 2 {
				provenance.WatchRows(w, []float64{0, float64(2000 + g.Rank()), 0, 1}, 4)
			}
			if g.Rank() == 2 {
				provenance.WatchRows(w, []float64{0, known, 0, 1}, 4)
			}
			all := provenance.OfAll(w.Found(), g)
			assert.Len(t, provenance.Sentences(all), want)
			assert.Empty(t, provenance.Sentences(w.Found()))
			if want > 0 {
				assert.Equal(t, []float64{151, 1000}, []float64{float64(all[0].Cells), all[0].Example})
			}
			return nil
		}))
	}
}
