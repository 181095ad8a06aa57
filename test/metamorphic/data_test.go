package metamorphic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// set is ranking data in memory, query by query, which is easy to change.
type set struct {
	queries  []query
	features []string
}

type query struct {
	id   string
	docs []document
}

type document struct {
	values  []float64
	label   float64
	weight  float64
	initial float64 // score from which training begins
}

// randomSet draws data whose grades, 0 to 4, depend on the features. Features are continuous, integer,
// mostly zero, or negative. If holes is set, values are missing, more often in bad documents. Initial
// scores differ between documents, so the order in the file never decides a rank.
func randomSet(seed uint64, queries int, holes bool) *set {
	rng := rand.New(rand.NewPCG(seed, 14))
	s := &set{features: []string{"continuous", "integers", "rare", "negative", "wide", "noise"}}
	for range queries {
		q := query{id: s.nextID()}
		for range 2 + rng.IntN(24) {
			q.docs = append(q.docs, randomDocument(rng, holes))
		}
		s.queries = append(s.queries, q)
	}
	return s
}

func (s *set) nextID() string {
	return string(rune('a'+len(s.queries)%26)) + string(rune('a'+len(s.queries)/26))
}

func randomDocument(rng *rand.Rand, holes bool) document {
	worth := rng.NormFloat64()
	d := document{
		label:   math.Round(min(4, max(0, 1.5+worth+0.5*rng.NormFloat64()))),
		weight:  float64(1 + rng.IntN(3)),
		initial: rng.NormFloat64() / 8,
		values: []float64{
			worth + rng.NormFloat64(),
			math.Round(3*worth + 4*rng.NormFloat64()),
			max(0, worth+rng.NormFloat64()-1),
			-math.Exp(worth + rng.NormFloat64()),
			math.Ldexp(rng.Float64()+0.5, rng.IntN(40)-20),
			rng.Float64(),
		},
	}
	for f := range d.values {
		if holes && rng.Float64() < 0.1+0.1*max(0, -worth) {
			d.values[f] = math.NaN()
		}
	}
	return d
}

// clone returns a copy whose documents can be changed.
func (s *set) clone() *set {
	c := &set{features: slices.Clone(s.features)}
	for _, q := range s.queries {
		docs := slices.Clone(q.docs)
		for i := range docs {
			docs[i].values = slices.Clone(docs[i].values)
		}
		c.queries = append(c.queries, query{q.id, docs})
	}
	return c
}

// changed returns a copy after f has changed each of its documents.
func (s *set) changed(f func(d *document)) *set {
	c := s.clone()
	for q := range c.queries {
		for i := range c.queries[q].docs {
			f(&c.queries[q].docs[i])
		}
	}
	return c
}

// shuffledQueries returns the same queries in another order.
func (s *set) shuffledQueries(rng *rand.Rand) *set {
	c := s.clone()
	rng.Shuffle(len(c.queries), func(i, j int) { c.queries[i], c.queries[j] = c.queries[j], c.queries[i] })
	return c
}

// shuffledDocuments returns the same queries with their documents in another order.
func (s *set) shuffledDocuments(rng *rand.Rand) *set {
	c := s.clone()
	for _, q := range c.queries {
		rng.Shuffle(len(q.docs), func(i, j int) { q.docs[i], q.docs[j] = q.docs[j], q.docs[i] })
	}
	return c
}

// permuted returns the data with feature order[i] in column i.
func (s *set) permuted(order []int) *set {
	c := s.changed(func(d *document) { d.values = pick(d.values, order) })
	c.features = pick(s.features, order)
	return c
}

func pick[T any](all []T, order []int) []T {
	picked := make([]T, len(order))
	for i, from := range order {
		picked[i] = all[from]
	}
	return picked
}

// meta returns everything but the values.
func (s *set) meta() *dataset.Meta {
	m := &dataset.Meta{Features: s.features}
	for _, q := range s.queries {
		m.Queries = append(m.Queries, dataset.Query{ID: q.id, First: len(m.Labels), Len: len(q.docs)})
		for _, d := range q.docs {
			m.Labels = append(m.Labels, d.label)
			m.Weights = append(m.Weights, d.weight)
			m.InitialScores = append(m.InitialScores, d.initial)
		}
	}
	return m
}

// values returns the feature values, row after row.
func (s *set) values() []float64 {
	var values []float64
	for _, q := range s.queries {
		for _, d := range q.docs {
			values = append(values, d.values...)
		}
	}
	return values
}

func (s *set) source(t *testing.T) dataset.Source {
	t.Helper()
	d, err := dataset.NewDense(*s.meta(), s.values())
	require.NoError(t, err)
	return d
}
