package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/study"
)

// faulty is an objective that panics in round 5, or returns NaN.
type faulty struct {
	objective.Objective
	panics bool
}

func (f faulty) Gradients(dst objective.Gradients, q objective.Query) {
	f.Objective.Gradients(dst, q)
	switch {
	case q.Iteration != 5:
	case f.panics:
		panic("planted")
	default:
		dst.Lambda[0] = math.NaN()
	}
}

// TestAFailedRoundWritesTheModel: the model of the iterations before an error or a panic is written, and the
// error says how to go on and, after a panic, what to report.
func TestAFailedRoundWritesTheModel(t *testing.T) {
	goesOn := []string{"num_iterations=16", "has the 4 trees before it",
		"resume=true continues from the checkpoint"}
	testFailedRound(t, true, append(goesOn, "panic after 4 rounds, in ", "panic_test.go:", ": planted\n",
		"please report", "commit", " rows, ", "num_leaves=7", "stack: ", "another seed= may avoid the panic")...)
	testFailedRound(t, false, append(goesOn, "has lambda NaN")...)
}

func testFailedRound(t *testing.T, panics bool, texts ...string) {
	path := filepath.Join(t.TempDir(), "model.txt")
	p, o := program(), objective.DefaultAllParams()
	p.Caller.Own = study.Own{Objective: func() objective.Objective {
		own, err := objective.New("lambdarank", &o)
		require.NoError(t, err)
		return faulty{own, panics}
	}}
	var messages bytes.Buffer
	err := p.Run(context.Background(), []string{"train", "data=../../testdata/mslr-small/train.txt.gz",
		"num_iterations=20", "num_leaves=7", "snapshot_freq=2", "output_model=" + path}, io.Discard, &messages,
		cli.NewConsole(&messages))
	for _, text := range texts {
		assert.ErrorContains(t, err, text)
	}
	m, _, err := model.ReadFile(path)
	require.NoError(t, err)
	assert.Len(t, m.Trees, 4)
}
