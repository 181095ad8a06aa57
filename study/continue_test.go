package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStudiesContinue: a study that is interrupted repeatedly, each time a little later, and goes on with
// another number of threads, ends with the same result. A stored result that is not complete, and those of
// another version of the program, are not used, which is said.
func TestStudiesContinue(t *testing.T) {
	folds, shares, d := inFolds(t, tuneData(t, 1, 50, 1), 3, 0), curveData(t, 60), selectSets(t, 90, 60)
	labels := tradeoffData(t)
	someOfThem := func(number int) study {
		return func(ctx context.Context, threads int, common Options) (string, error) {
			p, o := selectParams(), quickSelect()
			p.NumIterations, p.NumThreads, o.Number = 15, threads, number
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
	for name, do := range map[string]study{
		"tune": func(ctx context.Context, threads int, common Options) (string, error) {
			p := tuneParams()
			p.NumThreads = threads
			r, err := Tune(ctx, p, folds, TuneOptions{Options: common, Space: space(t, someSpace), Trials: 14,
				Seed: 5})
			if err != nil {
				return "", err
			}
			return tuneEverything(r), nil
		},
		"cv": func(ctx context.Context, threads int, common Options) (string, error) {
			p := params()
			p.Patience, p.BaggingFraction, p.BaggingFreq, p.NumThreads = 9, 0.7, 1, threads
			r, err := CrossValidate(ctx, p, folds, common)
			if err != nil {
				return "", err
			}
			return strings.ReplaceAll(everything(t, r), fmt.Sprintf(`"num_threads": "%d"`, threads), ""), nil
		},
		"curve": func(ctx context.Context, threads int, common Options) (string, error) {
			p := curveParams(threads)
			r, err := Curve(ctx, p, shares, CurveOptions{Options: common, Shares: []float64{0.3, 0.6, 1}})
			if err != nil {
				return "", err
			}
			return shown(t, &r.document), nil
		},
		"tradeoff": func(ctx context.Context, threads int, common Options) (string, error) {
			r, err := Tradeoff(ctx, curveParams(threads), labels,
				TradeoffOptions{Options: common, A: "lambdarank@sale", B: "lambdarank@click", Steps: 3})
			if err != nil {
				return "", err
			}
			return shown(t, &r.document), nil
		},
		"select": someOfThem(0), "select one": someOfThem(1),
	} {
		t.Run(name, func(t *testing.T) { requireContinues(t, do) })
	}
}

// study runs a study and returns its result as text.
type study func(ctx context.Context, threads int, common Options) (string, error)

// shown returns a document in all renderings.
func shown(t *testing.T, d *document) string {
	t.Helper()
	var b bytes.Buffer
	for _, write := range []func(io.Writer) error{d.Text, d.JSON, d.Write} {
		require.NoError(t, write(&b))
	}
	for _, table := range d.Tables {
		require.NoError(t, table.TSV(&b))
	}
	return b.String()
}

// countdown is a writer that calls a function when it is written to for the last of a number of times.
type countdown struct {
	end func()
	*atomic.Int64
}

func (c countdown) Write(b []byte) (int, error) {
	if c.Add(-1) == 0 {
		c.end()
	}
	return len(b), nil
}

// requireContinues interrupts a study at its first event, at its third, and so on.
func requireContinues(t *testing.T, do study) {
	want, err := do(t.Context(), 1, Options{})
	require.NoError(t, err)
	keep, reason, got := &Store{Folder: t.TempDir(), Program: "test"}, errors.New("enough"), ""
	for attempt := 0; got == ""; attempt++ {
		require.Less(t, attempt, 60)
		ctx, cancel := context.WithCancelCause(t.Context())
		left := countdown{func() { cancel(reason) }, new(atomic.Int64)}
		left.Add(int64(1 + 2*attempt))
		got, err = do(ctx, 1+attempt%3, Options{Keep: keep, Log: slog.New(slog.NewTextHandler(left,
			&slog.HandlerOptions{Level: slog.LevelDebug})), Progress: func(Progress) { left.Write(nil) }})
		cancel(nil)
		if err != nil && !errors.Is(err, reason) {
			require.ErrorIs(t, err, context.Canceled)
		}
		assert.True(t, attempt > 0 || err != nil, "it is interrupted")
	}
	assert.Equal(t, want, got)
	ours, err := os.ReadDir(keep.Folder)
	require.NoError(t, err)
	cutShort(t, filepath.Join(keep.Folder, ours[0].Name()))
	for _, reason := range []string{ours[0].Name() + ": not a result of this study: it is not complete",
		"results of another build"} {
		log, said := logged()
		got, err = do(t.Context(), 7, Options{Keep: keep, Log: log})
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Contains(t, said.String(), reason, "why work is done again")
		keep.Program = "another"
	}
	all, err := os.ReadDir(keep.Folder)
	require.NoError(t, err)
	assert.Len(t, all, 2*len(ours))
}

// cutShort replaces a stored result by the first values of another one.
func cutShort(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var f storedResult
	require.NoError(t, json.Unmarshal(text, &f))
	f.Result = []byte(`{"curve":[0.5],"values":[0.5]}`)
	f.SHA256 = checksum(f.Result)
	text, err = json.Marshal(f)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o666))
}
