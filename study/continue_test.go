package study

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStudiesContinue: a study that is interrupted repeatedly, each time a little later, ends with the same
// result. Work stored by another version of the program is not used, which is said.
func TestStudiesContinue(t *testing.T) {
	folds, shares, d := inFolds(t, tuneData(t, 1, 50, 1), 3, 0), curveData(t, 60), selectSets(t, 90, 60)
	someOfThem := func(number int) func(context.Context, Options) (string, error) {
		return func(ctx context.Context, common Options) (string, error) {
			p, o := selectParams(), quickSelect()
			p.NumIterations, o.Number = 15, number
			common.Tests = o.Tests
			o.Options = common
			r, err := Select(ctx, p, Data{Train: d[0], Valid: &d[1]}, o)
			if err != nil {
				return "", err
			}
			require.Greater(t, len(r.Steps), 1)
			return selectEverything(t, r), nil
		}
	}
	for name, do := range map[string]func(context.Context, Options) (string, error){
		"tune": func(ctx context.Context, common Options) (string, error) {
			p := tuneParams()
			p.NumThreads = 2
			r, err := Tune(ctx, p, folds, TuneOptions{Options: common, Space: space(t, someSpace), Trials: 14,
				Seed: 5})
			if err != nil {
				return "", err
			}
			return tuneEverything(r), nil
		},
		"cv": func(ctx context.Context, common Options) (string, error) {
			p := params()
			p.Patience = 9
			r, err := CrossValidate(ctx, p, folds, common)
			if err != nil {
				return "", err
			}
			return everything(t, r), nil
		},
		"curve": func(ctx context.Context, common Options) (string, error) {
			r, err := Curve(ctx, *curveParams(), shares, CurveOptions{Options: common, Shares: []float64{0.3, 0.6, 1}})
			if err != nil {
				return "", err
			}
			return curveShown(t, r), nil
		},
		"select": someOfThem(0), "select one": someOfThem(1),
	} {
		t.Run(name, func(t *testing.T) { requireContinues(t, do) })
	}
}

// requireContinues interrupts a study at its first event, at its third, and so on.
func requireContinues(t *testing.T, do func(context.Context, Options) (string, error)) {
	want, err := do(t.Context(), Options{})
	require.NoError(t, err)
	keep, reason, got := &Store{Folder: t.TempDir(), Program: "test"}, errors.New("enough"), ""
	for attempt := 0; got == ""; attempt++ {
		require.Less(t, attempt, 60)
		ctx, cancel := context.WithCancelCause(t.Context())
		left := 1 + 2*attempt
		got, err = do(ctx, Options{Keep: keep, Event: func(Event) {
			if left--; left == 0 {
				cancel(reason)
			}
		}})
		cancel(nil)
		if err != nil && !errors.Is(err, reason) {
			require.ErrorIs(t, err, context.Canceled)
		}
		assert.True(t, attempt > 0 || err != nil, "it is interrupted")
	}
	assert.Equal(t, want, got)
	ours, err := os.ReadDir(keep.Folder)
	require.NoError(t, err)
	keep.Program = "another"
	said := false
	got, err = do(t.Context(), Options{Keep: keep, Event: func(e Event) {
		said = said || strings.Contains(e.Text, "results of another build")
	}})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.True(t, said, "why all is done again")
	all, err := os.ReadDir(keep.Folder)
	require.NoError(t, err)
	assert.Len(t, all, 2*len(ours))
}
