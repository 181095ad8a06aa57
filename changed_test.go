package lambdamart_test

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

// binnedFile stores the bins of a sample that fills several memory pages, and returns the path.
func binnedFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "train.bin")
	p := lambdamart.DefaultParams()
	l := data.NewLoader(p.BinParams(), data.LoadOptions{Layout: data.DefaultLayout()})
	defer l.Close()
	set, err := l.Training(ctx, data.Input{Path: filepath.Join("testdata", "mslr-small", "train.txt.gz")})
	require.NoError(t, err)
	require.NoError(t, stream.WriteFile(path, func(w io.Writer) error { return l.Store(w, set) }))
	return path
}

// trainWhile trains on a file of bins, and calls disturb after the third round.
func trainWhile(t *testing.T, path string, threads int, disturb func()) error {
	t.Helper()
	p := lambdamart.DefaultParams()
	p.NumIterations, p.NumThreads = 6, threads
	d, err := lambdamart.Load(ctx, p, path, path)
	require.NoError(t, err)
	defer d.Close()
	p.Options.Round = func(r training.Round) {
		if r.Number == 3 {
			disturb()
		}
	}
	_, err = lambdamart.Train(ctx, p, d)
	return err
}

// TestBinsChangeDuringTraining: stored bins are mapped into memory, so a write to the file changes the data
// during training. That must be an error, not another model, and truncating the file must not crash.
func TestBinsChangeDuringTraining(t *testing.T) {
	path := binnedFile(t)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	writeAt := func(at int64, b []byte) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteAt(b, at)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	last := int64(len(content) - 1)
	for name, disturb := range map[string]func(){
		"cut to nothing": func() { require.NoError(t, os.Truncate(path, 0)) },
		"cut in a page":  func() { require.NoError(t, os.Truncate(path, last)) },
		"cut to half":    func() { require.NoError(t, os.Truncate(path, last/2)) },
		"overwritten":    func() { writeAt(0, make([]byte, len(content))) },
		"longer":         func() { writeAt(last+1, []byte{1}) },
		"one bit":        func() { writeAt(last-5000, []byte{content[last-5000] ^ 1}) },
		"one bit, with the time of before": func() {
			info, err := os.Stat(path)
			require.NoError(t, err)
			writeAt(last-5000, []byte{content[last-5000] ^ 1})
			require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))
		},
		"and back": func() {
			writeAt(last-5000, []byte{content[last-5000] ^ 1})
			writeAt(last-5000, content[last-5000:][:1])
		},
	} {
		for _, threads := range []int{1, 2, 7} {
			require.NoError(t, os.WriteFile(path, content, 0o666))
			require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)))
			err := trainWhile(t, path, threads, disturb)
			require.ErrorIs(t, err, data.ErrChanged, "%s, %d threads", name, threads)
			assert.Contains(t, err.Error(), "train.bin: ")
		}
	}
}

// truncating is a writer that truncates the file with this path.
type truncating string

func (path truncating) Write(b []byte) (int, error) { return len(b), os.Truncate(string(path), 0) }

// TestBinsChangeDuringStudy: a study trains on several goroutines, of which none may crash.
func TestBinsChangeDuringStudy(t *testing.T) {
	path := binnedFile(t)
	p := lambdamart.DefaultParams()
	p.NumIterations, p.NumThreads = 2, 2
	d, err := lambdamart.Load(ctx, p, path)
	require.NoError(t, err)
	defer d.Close()
	folds, err := study.DrawFolds(d.Training.Meta, 2, 0)
	require.NoError(t, err)
	o := study.CurveOptions{Shares: []float64{0.5, 1}}
	o.Log = slog.New(slog.NewTextHandler(truncating(path), nil))
	_, err = study.Curve(ctx, p.Params, study.On(d, folds), o)
	require.ErrorIs(t, err, data.ErrChanged)
}

// TestBinsChangeBetweenSteps: each use of the data by a run that is stepped finds the change.
func TestBinsChangeBetweenSteps(t *testing.T) {
	path := binnedFile(t)
	d, err := lambdamart.Load(ctx, lambdamart.DefaultParams(), path)
	require.NoError(t, err)
	defer d.Close()
	run, err := lambdamart.Start(lambdamart.DefaultParams(), d)
	require.NoError(t, err)
	defer run.Close()
	_, err = run.Step(ctx)
	require.NoError(t, err)
	var saved bytes.Buffer
	require.NoError(t, run.Save(&saved))
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
	_, err = lambdamart.Start(lambdamart.DefaultParams(), d)
	assert.ErrorIs(t, err, data.ErrChanged)
	_, err = run.Step(ctx)
	assert.ErrorIs(t, err, data.ErrChanged)
	_, err = run.Result()
	assert.ErrorIs(t, err, data.ErrChanged)
	assert.ErrorIs(t, run.Save(io.Discard), data.ErrChanged)
	assert.ErrorIs(t, run.Checkpoint(), data.ErrChanged)
	assert.ErrorIs(t, run.Restore(&saved), data.ErrChanged)
}

// TestBinsReplacedDuringTraining: replacing the file by another of the same name has no effect on the run.
func TestBinsReplacedDuringTraining(t *testing.T) {
	path := binnedFile(t)
	require.NoError(t, trainWhile(t, path, 2, func() {
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, []byte("another"), 0o666))
	}))
}
