package booster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/training"
)

// partOf returns one peer's part of the data: queries, divided about equally.
func partOf(m *dataset.Meta, g peers.Group) *dataset.Meta {
	boundary := func(rank int) int { return len(m.Queries) * rank / g.Size() }
	return dataset.PartOf(m, g, boundary(g.Rank()), boundary(g.Rank()+1))
}

// divided returns one peer's part of each set.
func divided(g peers.Group, all []Data) []Data {
	var parts []Data
	for _, d := range all {
		meta := partOf(d.Meta, g)
		first := meta.Part.FirstRow
		parts = append(parts, Data{Name: d.Name, Meta: meta, Values: d.Values.Rows(first, first+meta.NumRows())})
	}
	return parts
}

// rankOutcome holds the results that must not depend on the number of peers.
type rankOutcome struct {
	model   string
	rounds  string
	section string // the model's section of parameters
}

func trainOn(t testing.TB, g peers.Group, p Params, all []Data) (o rankOutcome, err error) {
	all = slices.Clone(all)
	if g.Size() > 1 {
		all = divided(g, all)
	}
	options := Options{Options: training.Options{Round: func(r training.Round) {
		o.rounds += fmt.Sprint(r.Number, r.Leaves)
		for _, e := range r.Evaluations {
			e.Result.PerQuery = nil
			o.rounds += fmt.Sprintf(" %s %v", e.Set, e.Result.Mean)
		}
		o.rounds += "\n"
	}}}
	r, err := Train(context.Background(), p, all[0], all[1:], options)
	if err != nil {
		return o, err
	}
	o.section = r.Model.Parameters
	o.model = string(bytesOf(r.Model)) + fmt.Sprint(r.Rounds, r.Kept, r.Stopped, r.Best, r.BestValue)
	return o, nil
}

// TestPeersWithoutRows: more peers than queries, so some peers have no rows.
func TestPeersWithoutRows(t *testing.T) {
	p := smallParams()
	p.NumLeaves, p.ActiveFraction = 6, 1
	data := binned(t, &p, randomTable(8, 100), randomTable(9, 20))
	want, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	requirePeers(t, 7, p, data, want)
}

// TestPeersMeetConstraints: multipliers go by the metric of all queries, and labels are divided as rows are.
func TestPeersMeetConstraints(t *testing.T) {
	p, data := constrained(t)
	want, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	requirePeers(t, 3, p, data, want)
}

// requirePeers requires that a number of peers train as one does.
func requirePeers(t *testing.T, size int, p Params, data []Data, want rankOutcome) {
	t.Helper()
	require.NoError(t, aid.Peers(size, func(g peers.Group) error {
		got, err := trainOn(t, g, p, data)
		if err == nil && got != want {
			return errors.New("another model")
		}
		return err
	}))
}

// wholeObjective computes the gradients of all queries at once.
type wholeObjective struct{ given }

func (o *wholeObjective) All(objective.Gradients, objective.Round) error { return nil }

// TestPeersRefuse checks that settings which need all queries in one process are refused.
func TestPeersRefuse(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(8, 100))
	err := aid.Peers(2, func(g peers.Group) error {
		_, err := Train(t.Context(), p, divided(g, data)[0], nil, Options{Objective: &wholeObjective{}})
		return err
	})
	assert.ErrorIs(t, err, ErrPeers)
	assert.ErrorContains(t, err, "objective given")
}

// TestWeightsOfPeers: the median is taken over all peers.
func TestWeightsOfPeers(t *testing.T) {
	meta := randomTable(8, 100).meta
	meta.Weights = make([]float64, 100)
	for i := range meta.Weights {
		meta.Weights[i] = float64(i % 7)
	}
	meta.Weights[70] = 1e12
	var want, got *weightError
	require.ErrorAs(t, checkWeights(meta), &want)
	err := aid.Peers(3, func(g peers.Group) error {
		return checkWeights(partOf(meta, g))
	})
	require.ErrorAs(t, err, &got)
	assert.Equal(t, [2]float64{want.Weight, want.Median}, [2]float64{got.Weight, got.Median})
}

// TestPeersAreTheSame: peers with different parameters are an error before the first tree.
func TestPeersAreTheSame(t *testing.T) {
	data := binned(t, ptr(smallParams()), randomTable(8, 100))
	assert.ErrorContains(t, aid.Peers(3, func(g peers.Group) error {
		p := smallParams()
		p.NumLeaves += g.Rank() / 2
		_, err := trainOn(t, g, p, data)
		return err
	}), "parameters or bins that differ")
}

func ptr[T any](v T) *T { return &v }
