package train

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/tree"
)

// TestCanceledCalibrationHasTheCause: whoever notices first that a signal has canceled the run, the error is
// the signal, and not only [context.Canceled], whose text the program does not show.
func TestCanceledCalibrationHasTheCause(t *testing.T) {
	path := filepath.Join(t.TempDir(), "valid.txt")
	require.NoError(t, os.WriteFile(path, []byte("1 qid:1 1:2\n0 qid:1 1:1\n"), 0o666))
	p := Default()
	p.Kind, p.Valid = tree.Platt, []string{path}
	r := &run{Params: p, Env: &cli.Env{Messages: cli.NewConsole(io.Discard)}}
	m := &tree.Ensemble{Features: make([]tree.Feature, 2), Trees: []tree.Tree{{LeafValue: []float64{1}}}}
	signal := errors.New("ended by a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signal)
	for range 100 {
		_, err := r.calibrate(ctx, m)
		require.ErrorIs(t, err, signal)
		require.ErrorContains(t, err, "the model has no probabilities")
	}
}
