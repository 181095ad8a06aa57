package evaluate

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/peers"
)

// Peers that share data judge a ranking together. Each makes and judges the lists of its own part, which has
// whole queries, and the results are about all parts.

// join combines the results of all peers.
func (j *judge) join() error {
	g := j.part.Group()
	if g.Size() == 1 {
		return nil
	}
	id := func(n int) string { return j.Queries[n] }
	if n, found := g.FindElsewhere(len(j.Queries), id); found {
		return fmt.Errorf("query %s has rows in the parts of several peers: %w, or judge the data in one process",
			id(n), dataset.ErrQueryReturns)
	}
	j.Anomalies.join(j.part)
	if j.Scoring != nil {
		*j.Scoring = j.Scoring.OfAll(j.part)
	}
	return nil
}

// join adds up the anomalies of all peers.
func (a *Anomalies) join(part *dataset.Part) {
	g := part.Group()
	counts := []*int{&a.Documents, &a.MissingScores, &a.NaNScores, &a.MissingTargets, &a.NaNTargets}
	var words []int64
	for _, n := range counts {
		words = append(words, int64(*n))
	}
	g.Sum(words)
	for i, n := range counts {
		*n = int(words[i])
	}
	a.Sorted = g.Any(a.Sorted)
}

// queriesOfPeer is the queries of a peer with their values, as it sends them to peer 0.
type queriesOfPeer struct {
	Queries         []string
	Documents       []int
	Values, Weights [][]float64 // by result
}

// gather sends the queries of all peers, with their values, to peer 0, whose judgment then has them all, in
// the order of the data. The judgments of other peers keep their own queries.
func (j *Judgment) gather(g peers.Group) error {
	if g.Size() == 1 {
		return nil
	}
	var sent bytes.Buffer
	if g.Rank() > 0 {
		own := queriesOfPeer{Queries: j.Queries, Documents: j.Documents}
		for _, r := range j.Results {
			own.Values, own.Weights = append(own.Values, r.PerQuery), append(own.Weights, r.Weights)
		}
		if err := gob.NewEncoder(&sent).Encode(own); err != nil {
			return err
		}
		return g.CopyToFirst(nil, &sent, int64(sent.Len()))
	}
	if err := g.CopyToFirst(&sent, nil, 0); err != nil {
		return err
	}
	for sent.Len() > 0 {
		var other queriesOfPeer
		if err := gob.NewDecoder(&sent).Decode(&other); err != nil {
			return err
		}
		j.Queries, j.Documents = append(j.Queries, other.Queries...), append(j.Documents, other.Documents...)
		for i := range j.Results {
			r := &j.Results[i]
			r.PerQuery, r.Weights = append(r.PerQuery, other.Values[i]...), append(r.Weights, other.Weights[i]...)
		}
	}
	return nil
}
