package booster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forcedFile writes forced splits to a file and returns its name.
func forcedFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forced.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// TestForcedSplits: every tree begins with the forced splits, with each threshold moved to the end of its
// bin.
func TestForcedSplits(t *testing.T) {
	for _, fraction := range []float64{1, 0.5} {
		p := smallParams()
		p.ActiveFraction, p.FeatureFraction, p.MonotoneConstraints = fraction, 0.4, "2:-1"
		p.ForcedSplitsFilename = forcedFile(t, `{"feature": 0, "threshold": 0.1,
			"left": {"feature": 1, "threshold": 0.5}, "right": {"feature": 0, "threshold": 1}}`)
		for _, fitted := range fit(t, p, randomTable(1, 3000)).Model.Trees {
			require.Equal(t, int32(0), fitted.Feature[0])
			require.InDelta(t, 0.1, fitted.Threshold[0], 0.05)
			left, right := fitted.Left[0], fitted.Right[0]
			require.Equal(t, []int32{1, 0}, []int32{fitted.Feature[left], fitted.Feature[right]})
			require.InDelta(t, 1.5, fitted.Threshold[left], 0.01, "the bin of 0.5 ends there")
			require.InDelta(t, 1, fitted.Threshold[right], 0.05)
			require.Equal(t, 8, fitted.NumLeaves(), "the tree grows on")
		}
	}
}

// TestForcedSplitWithoutRows: a forced split that would leave too few rows on one side is skipped, with all
// forced splits below it.
func TestForcedSplitWithoutRows(t *testing.T) {
	p, s := smallParams(), randomTable(1, 1000)
	want := bytesOf(fit(t, p, s).Model)
	p.ForcedSplitsFilename = forcedFile(t, `{"feature": 0, "threshold": -2.9, "right": {"feature": 1, "threshold": 0.5}}`)
	assert.Equal(t, want, bytesOf(fit(t, p, s).Model))
}

func TestForcedSplitsRefuse(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(1, 1000))
	data[0].Meta.Features = []string{"bm25", "age", "x", "y", "z"}
	deep := strings.Repeat(`{"feature":0,"threshold":0.1,"left":`, 100_000) + strings.Repeat("}", 100_000)
	for text, want := range map[string]string{
		``:                                    "want a JSON object",
		`[]`:                                  "want a JSON object",
		`{`:                                   "want a JSON object",
		`{}`:                                  "want the number or the name of a feature",
		`{"feature": 0}`:                      "feature bm25: want a threshold",
		`{"feature": 0, "threshold": "1"}`:    "want a JSON object",
		`{"feature": 0, "threshold": 1e999}`:  "want a JSON object",
		`{"feature": 9, "threshold": 1}`:      "there is no feature 9; the data has 5 features (bm25 to z)",
		`{"feature": -1, "threshold": 1}`:     "there is no feature -1",
		`{"feature": 0.5, "threshold": 1}`:    "want the number or the name",
		`{"feature": "bm52", "threshold": 1}`: `there is no feature "bm52"; did you mean "bm25"?`,
		`{"feature": 0, "threshold": 1e9}`:    "no value is above the threshold 1e+09",
		`{"feature": 0, "threshold": 1} {}`:   "more than one JSON object",
		`{"feature": 0, "treshold": 1}`:       "treshold",
		deep[:1<<19]:                          "want a JSON object",
		strings.Repeat(" ", 1<<20+1):          "more than 1048576 bytes",
		`{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1,"left":{"feature":0,"threshold":0.1}}}}}}}}`: "more splits than num_leaves allows",
	} {
		p.ForcedSplitsFilename = forcedFile(t, text)
		_, err := Train(t.Context(), p, data[0], nil, Options{})
		require.Error(t, err, "%.80s", text)
		assert.ErrorContains(t, err, want, "%.80s", text)
		assert.ErrorContains(t, err, "forcedsplits_filename")
	}
	p.ForcedSplitsFilename = "no/such/file"
	_, err := Train(t.Context(), p, data[0], nil, Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzForcedSplits(f *testing.F) {
	p := smallParams()
	data := binned(f, &p, randomTable(1, 200))
	f.Add([]byte(`{"feature": 0, "threshold": 0.1, "left": {"feature": 1, "threshold": 0.5}}`))
	f.Add([]byte(`{"feature": "x", "threshold": 1e308}`))
	f.Add([]byte(`{"feature": 0}`))
	f.Add([]byte(strings.Repeat(`{"feature": 0, "threshold": 0.1, "left": `, p.NumLeaves) + "null" + strings.Repeat("}", p.NumLeaves)))
	f.Fuzz(func(t *testing.T, text []byte) {
		split, err := parseForced(text, &p, data[0])
		if err == nil && len(split.columns(nil)) >= p.NumLeaves {
			t.Fatal("too many splits")
		}
	})
}

// TestDepthwise: a node is split only after all nodes at smaller depth, so nodes are ordered by depth. If
// the
// leaf limit does not bind, the trees equal those of leaf-wise growth.
func TestDepthwise(t *testing.T) {
	for _, fraction := range []float64{1, 0.3} {
		p, s := smallParams(), randomTable(1, 3000)
		p.GrowPolicy, p.NumLeaves, p.ActiveFraction = Depthwise, 23, fraction
		levels := 0
		for _, fitted := range fit(t, p, s).Model.Trees {
			depth := make([]int, len(fitted.Left))
			for i := range fitted.Left {
				for _, child := range []int32{fitted.Left[i], fitted.Right[i]} {
					if child >= 0 {
						depth[child] = depth[i] + 1
					}
				}
				if fraction == 1 && i > 0 {
					require.GreaterOrEqual(t, depth[i], depth[i-1])
				}
				levels = max(levels, depth[i])
			}
		}
		assert.Greater(t, levels, 3)
	}
	p, s := smallParams(), randomTable(1, 3000)
	p.NumIterations, p.NumLeaves, p.MaxDepth = 1, 8, 3
	want := splitsByFeature(fit(t, p, s).Model)
	p.GrowPolicy = Depthwise
	assert.Equal(t, want, splitsByFeature(fit(t, p, s).Model))
	for text, policy := range map[string]string{"lossguide": Leafwise, "Depthwise": Depthwise,
		"SymmetricTree": Symmetric, "oblivious": Symmetric} {
		require.NoError(t, set(&p, "grow_policy", text))
		assert.Equal(t, policy, p.GrowPolicy)
	}
	assert.Error(t, set(&p, "grow_policy", "sideways"))
}
