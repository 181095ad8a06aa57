package evaluate

import (
	"context"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Ranking is a system's ranking of judged documents. The functions of this package whose names begin with
// From return one. Nothing is read until it is judged. It may be judged several times if its source can be
// read several times.
type Ranking struct {
	System string // name of the system, for reports

	// read passes the lists of all queries to j.
	read func(ctx context.Context, j *judge) error
}

// Rows are judged documents, one at each index of the slices.
type Rows struct {
	Query  []string  // ids; the rows of a query need not be consecutive
	Labels []float64 // relevance grades; NaN counts as 0
	Scores []float64 // order the documents of a query, the highest first; NaN: judged, but not ranked
	Docs   []string  // document ids, with which some conventions order equal scores; nil if there are none

	weights []float64 // of the rows; nil if all are 1
}

// check returns an error unless all slices have one entry a row.
func (r *Rows) check() error {
	n := len(r.Query)
	if len(r.Labels) != n || len(r.Scores) != n || r.Docs != nil && len(r.Docs) != n {
		return fmt.Errorf("%s, %s, %s and %s; give one of each for "+
			"every row, or no document ids",
			wording.Count(n, "query"), wording.Count(len(r.Labels), "label"), wording.Count(len(r.Scores), "score"),
			wording.Count(len(r.Docs), "document id"))
	}
	return nil
}

// FromRows returns the ranking of rows in memory, in any order. The rows must not change while the ranking is
// in use.
func FromRows(system string, rows Rows) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		if err := rows.check(); err != nil {
			return err
		}
		return j.grouped(ctx, func(_ context.Context, emit func(Rows) error) error {
			j.Anomalies.countScores(rows.Scores)
			labels := rows.Labels
			if j.Anomalies.NaNTargets = countNaN(labels); j.Anomalies.NaNTargets > 0 {
				labels = withoutNaN(labels)
			}
			return emit(Rows{rows.Query, labels, rows.Scores, rows.Docs, nil})
		})
	}}
}

func countNaN(values []float64) int {
	n := 0
	for _, v := range values {
		if math.IsNaN(v) {
			n++
		}
	}
	return n
}

// withoutNaN returns a copy of values with 0 in place of NaN.
func withoutNaN(values []float64) []float64 {
	clean := make([]float64, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			clean[i] = v
		}
	}
	return clean
}

// FromScores returns the ranking of data in memory by scores, one a row. A row whose score is NaN is judged
// but not ranked. The weight of a query is the mean weight of its rows, ranked or not.
func FromScores(system string, data *dataset.Meta, scores []float64) Ranking {
	return Ranking{system, func(_ context.Context, j *judge) error {
		if len(scores) != data.NumRows() {
			return fmt.Errorf("%s for %s of data; give one for each row",
				wording.Count(len(scores), "score"), wording.Count(data.NumRows(), "row"))
		}
		return j.whole(data, scores)
	}}
}

// whole passes on the lists of data in memory.
func (j *judge) whole(data *dataset.Meta, scores []float64) error {
	data, err := j.paired(data)
	if err != nil {
		return err
	}
	j.reset()
	j.Anomalies.Documents = data.NumRows()
	j.Anomalies.countScores(scores)
	for number := range data.Queries {
		if err := j.add(listOf(data, number, scores)); err != nil {
			return metric.Locate(err, func() (*dataset.Meta, error) { return data, nil })
		}
	}
	return nil
}

// paired returns the data with the pairs of [Options.Pairs].
func (j *judge) paired(data *dataset.Meta) (*dataset.Meta, error) {
	if j.options.Pairs != nil {
		pairs, err := j.options.Pairs(data)
		if err != nil {
			return nil, err
		}
		with := *data
		with.Pairs, data = pairs, &with
	}
	if j.readsPairs() && len(data.Pairs) == 0 {
		return nil, metric.ErrNoPairs
	}
	return data, nil
}

// listOf returns the list of a query's rows. Those that have no score follow the others.
func listOf(data *dataset.Meta, number int, scores []float64) metric.List {
	q := data.Queries[number]
	rows, ranked := rankedFirst(q, scores)
	labels := pick(data.Labels, rows)
	l := metric.List{Query: q.ID, Labels: labels[:ranked:ranked], Unranked: labels[ranked:],
		Scores: pick(scores, rows[:ranked])}
	for _, name := range data.LabelNames() {
		values, _ := data.LabelsOf(name)
		l.More = append(l.More, dataset.Labels{Name: name, Values: pick(values, rows)})
	}
	if data.Docs != nil {
		l.Docs = pick(data.Docs, rows[:ranked])
	}
	if data.Weights != nil {
		l.Weights = meanWeights(data.Weights[q.First:q.First+q.Len], ranked)
	}
	place := make([]int, q.Len) // of each document in the list
	for i, row := range rows {
		place[row-q.First] = i
	}
	for _, p := range data.PairsOf(number) {
		p.Better, p.Worse = place[p.Better], place[p.Worse]
		l.Pairs = append(l.Pairs, p)
	}
	return l
}

// rankedFirst returns the rows of a query, those that have scores first, and their number.
func rankedFirst(q dataset.Query, scores []float64) (rows []int, ranked int) {
	var others []int
	for row := q.First; row < q.First+q.Len; row++ {
		if math.IsNaN(scores[row]) {
			others = append(others, row)
		} else {
			rows = append(rows, row)
		}
	}
	return append(rows, others...), len(rows)
}

// pick returns the values of rows.
func pick[T any](values []T, rows []int) []T {
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = values[row]
	}
	return picked
}

// meanWeights returns a slice of n times the mean of a query's weights: one for each ranked document, so that
// unranked ones count too.
func meanWeights(weights []float64, n int) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	means := make([]float64, n)
	for i := range means {
		means[i] = sum / float64(len(weights))
	}
	return means
}
