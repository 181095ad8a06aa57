package evaluate

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/ranks"
)

// Ranks judge a ranking together where its data is divided among them: each makes and judges the lists of its
// own part, which has whole queries, and the results are those of all.

// share has the judge work with the ranks that src is divided among.
func (j *judge) share(src dataset.Source) {
	if p := dataset.PartOfSource(src); p != nil {
		j.ranks = p.Ranks
	}
}

// join makes what was found that of all ranks.
func (j *judge) join() error {
	if j.ranks.Size() == 1 {
		return nil
	}
	if n, found := dataset.FindElsewhere(j.ranks, len(j.queries), func(n int) string { return j.queries[n] }); found {
		return fmt.Errorf("query %s has rows in the parts of several ranks: %w, or judge the data in one process", j.queries[n], dataset.ErrQueryReturns)
	}
	j.evaluator.Join()
	j.found.join(j.ranks)
	if j.scoring != nil {
		*j.scoring = j.scoring.OfAll(j.ranks)
	}
	return nil
}

// join adds up the anomalies of all ranks.
func (a *Anomalies) join(g ranks.Group) {
	counts := []*int{&a.Documents, &a.MissingScores, &a.NaNScores, &a.MissingTargets, &a.NaNTargets}
	words := []int64{a.TemporaryBytes}
	for _, n := range counts {
		words = append(words, int64(*n))
	}
	g.Sum(words)
	a.TemporaryBytes = words[0]
	for i, n := range counts {
		*n = int(words[1+i])
	}
	a.Sorted = ranks.Any(g, a.Sorted)
}

// Gather brings the queries of all ranks, with their values, to rank 0, whose judgment has them all then, in
// the order of the data. The judgments of other ranks keep their own queries. It is a collective.
func (j *Judgment) Gather(g ranks.Group) error {
	if g.Rank() > 0 {
		own := j.appendQueries(nil)
		return ranks.CopyToFirst(g, nil, bytes.NewReader(own), int64(len(own)))
	}
	var others bytes.Buffer
	if err := ranks.CopyToFirst(g, &others, nil, 0); err != nil {
		return err
	}
	return j.readQueries(bufio.NewReader(&others))
}

// appendQueries appends bytes that stand for the queries and their values.
func (j *Judgment) appendQueries(b []byte) []byte {
	for n, id := range j.Queries {
		b = binary.AppendUvarint(b, uint64(len(id)))
		b = append(b, id...)
		b = binary.AppendUvarint(b, uint64(j.Documents[n]))
		for i := range j.Results {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(j.Results[i].PerQuery[n]))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(weightOf(&j.Results[i], n)))
		}
	}
	return b
}

// readQueries appends the queries that appendQueries has written.
func (j *Judgment) readQueries(r *bufio.Reader) error {
	for {
		length, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		id := make([]byte, length)
		if _, err := io.ReadFull(r, id); err != nil {
			return err
		}
		documents, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		j.Queries, j.Documents = append(j.Queries, string(id)), append(j.Documents, int(documents))
		for i := range j.Results {
			var value [2]float64 // and weight
			if err := binary.Read(r, binary.LittleEndian, &value); err != nil {
				return err
			}
			result := &j.Results[i]
			if result.PerQuery = append(result.PerQuery, value[0]); result.Weighted {
				result.Weights = append(result.Weights, value[1])
			}
		}
	}
}

// weightOf returns the weight of a query in a result.
func weightOf(r *metric.Result, query int) float64 {
	if r.Weights == nil {
		return 1
	}
	return r.Weights[query]
}
