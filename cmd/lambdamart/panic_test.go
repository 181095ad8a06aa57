package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/study"
)

// faulty is an objective that panics in round 5.
type faulty struct{ objective.Objective }

func (f faulty) Gradients(dst objective.Gradients, q objective.Query) {
	if q.Iteration == 5 {
		panic("planted")
	}
	f.Objective.Gradients(dst, q)
}

// TestAPanicWritesTheModel: the model of the iterations before a panic is written, and the error says what to
// report and how to go on.
func TestAPanicWritesTheModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.txt")
	p, o := program(), objective.DefaultAllParams()
	p.Caller.Own = study.Own{Objective: func() objective.Objective {
		own, err := objective.New("lambdarank", &o)
		require.NoError(t, err)
		return faulty{own}
	}}
	var messages bytes.Buffer
	err := p.Run(context.Background(), []string{"train", "data=../../testdata/mslr-small/train.txt.gz",
		"num_iterations=20", "num_leaves=7", "snapshot_freq=2", "output_model=" + path}, io.Discard, &messages,
		cli.NewConsole(&messages))
	for _, text := range []string{"panic after 4 rounds, in ", "panic_test.go:", ": planted\n", "please report",
		"commit", " rows, ", "num_leaves=7", "stack: ", path + " has the 4 trees before it", "num_iterations=16",
		"resume=true continues from the checkpoint " + path + ".checkpoint"} {
		assert.ErrorContains(t, err, text)
	}
	m, _, err := model.ReadFile(path)
	require.NoError(t, err)
	assert.Len(t, m.Trees, 4)
}
