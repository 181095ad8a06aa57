package metric

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
)

// ScoreError is a score that ranks nothing: NaN.
type ScoreError struct {
	Row   int // in the whole data
	Query string
}

func (e *ScoreError) Error() string {
	return fmt.Sprintf("metric: the score in row %d of query %s is NaN; rank every document or leave it out of the data", e.Row, e.Query)
}

// queryBlock is the number of queries that a worker takes at once.
const queryBlock = 16

// Evaluate judges all queries of data by each metric. scores has one entry a
// row. Queries are judged in parallel, by workers goroutines (GOMAXPROCS if
// workers < 1), and summed in their order: the number of workers changes no bit.
// Metrics of one rule for ties share the sorting.
//
// The error is a [*LabelError] for a label without a gain under one of the
// conventions, or a [*ScoreError].
func Evaluate(metrics []Metric, data *dataset.Meta, scores []float64, workers int) ([]Result, error) {
	if err := check(metrics, data, scores); err != nil {
		return nil, err
	}
	verdicts := make([][]verdict, len(metrics)) // by metric, then query
	for i := range verdicts {
		verdicts[i] = make([]verdict, len(data.Queries))
	}
	judgeAll(verdicts, metrics, data, scores, workers)
	results := make([]Result, len(metrics))
	for i, m := range metrics {
		results[i] = summarize(m, data, verdicts[i])
	}
	return results, nil
}

// check finds scores and labels that cannot be judged.
func check(metrics []Metric, data *dataset.Meta, scores []float64) error {
	if len(scores) != data.NumRows() {
		return fmt.Errorf("metric: %d scores for %d rows of data", len(scores), data.NumRows())
	}
	for row, score := range scores {
		if math.IsNaN(score) {
			return &ScoreError{Row: row, Query: queryOf(data, row)}
		}
	}
	for i, m := range metrics {
		c := m.Convention()
		if i > 0 && sameLabels(c, metrics[i-1].Convention()) {
			continue
		}
		if err := c.Check(data.Labels); err != nil {
			if bad, ok := err.(*LabelError); ok {
				bad.Query = queryOf(data, bad.Row)
			}
			return err
		}
	}
	return nil
}

// sameLabels is true of conventions that surely accept the same labels.
func sameLabels(a, b Convention) bool {
	return a.Gain.kind == b.Gain.kind && a.Gain.kind != tableGain && a.Negative == b.Negative
}

// queryOf is the id of the query that has the row.
func queryOf(data *dataset.Meta, row int) string {
	for _, q := range data.Queries {
		if row < q.First+q.Len {
			return q.ID
		}
	}
	return ""
}

// judgeAll fills verdicts, of which each worker writes the queries it takes.
func judgeAll(verdicts [][]verdict, metrics []Metric, data *dataset.Meta, scores []float64, workers int) {
	pool := par.New(workers)
	defer pool.Close()
	deepest := deepestCutoff(metrics)
	memory := make([]query, pool.Workers())
	pool.Blocks(len(data.Queries), queryBlock, func(worker, from, to int) {
		q := &memory[worker]
		for number := from; number < to; number++ {
			first := data.Queries[number].First
			end := first + data.Queries[number].Len
			q.load(data.Labels[first:end], scores[first:end], deepest)
			for i, m := range metrics {
				verdicts[i][number] = q.judgedBy(m)
			}
		}
	})
}

// deepestCutoff is the largest cut-off of the metrics of this package, 0 if one
// of them looks at all ranks.
func deepestCutoff(metrics []Metric) int {
	deepest := 1
	for _, m := range metrics {
		if j, ok := m.(judge); ok {
			if j.cutoff() < 1 {
				return 0
			}
			deepest = max(deepest, j.cutoff())
		}
	}
	return deepest
}

func (q *query) judgedBy(m Metric) verdict {
	if j, ok := m.(judge); ok {
		return j.judge(q)
	}
	value, counts := m.Query(q.labels, q.scores)
	return verdict{value: value, counts: counts, empty: isEmpty(m.Convention(), q.labels)}
}

// isEmpty is true where no label has a gain above 0.
func isEmpty(c Convention, labels []float64) bool {
	for _, label := range labels {
		if c.gain(label) > 0 {
			return false
		}
	}
	return true
}
