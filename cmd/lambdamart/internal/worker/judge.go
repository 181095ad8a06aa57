package worker

import (
	"context"
	"errors"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// evaluate judges the ranking by scores. The buffer has scores, labels and, if there are any, weights,
// and then the numbers of rows of the queries.
func (s *server) evaluate(ctx context.Context, q *request) (event, []byte, error) {
	scores, meta, err := s.rankings(q, 1)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := q.metrics()
	if err != nil {
		return nil, nil, err
	}
	j, err := evaluate.Judge(ctx, evaluate.FromScores("scores", meta, scores[0]), metrics,
		evaluate.Options{Workers: q.Threads})
	if err != nil {
		return nil, nil, err
	}
	return evaluated(j)
}

// rankings returns what is in the buffer: the scores of several systems, one after the other, the
// labels, the weights if there are any, and the numbers of rows of the queries.
func (s *server) rankings(q *request, systems int) (scores [][]float64, meta *dataset.Meta, err error) {
	memory, err := s.buffer.bytes(q.Size)
	if err != nil {
		return nil, nil, err
	}
	columns := systems + 1
	if q.Weights {
		columns++
	}
	numbers, err := arrays.Numbers[float64](memory, 0, columns*q.Rows)
	if err != nil {
		return nil, nil, err
	}
	for i := range systems {
		scores = append(scores, numbers[i*q.Rows:(i+1)*q.Rows])
	}
	numbers = numbers[systems*q.Rows:]
	meta = &dataset.Meta{Labels: numbers[:q.Rows]}
	if q.Weights {
		meta.Weights = numbers[q.Rows:]
	}
	if meta.Queries, err = arrays.Queries(memory, 8*columns*q.Rows, q.Queries); err != nil {
		return nil, nil, err
	}
	return scores, meta, meta.Check()
}

func (q *request) metrics() ([]metric.Metric, error) {
	convention, err := metric.ConventionByName(q.Convention)
	if err != nil {
		return nil, err
	}
	return evaluate.Metrics(q.Metrics, []int{1, 2, 3, 4, 5}, convention)
}

// evaluated returns results, and as payload the values of the queries, metric by metric.
func evaluated(j *evaluate.Judgment) (event, []byte, error) {
	list := []any{}
	var values []float64
	for _, r := range j.Results {
		list = append(list, event{"metric": r.Metric, "convention": r.Convention.String(),
			"value": number64(r.Mean), "queries": r.Queries,
			"empty": r.Empty, "left_out": r.LeftOut, "tied": r.Tied})
		values = append(values, r.PerQuery...)
	}
	return event{"results": list, "warnings": j.Anomalies.Warnings()}, littleEndian(values), nil
}

// compare compares the rankings of several systems by one metric. The payload has the values of the
// queries, system by system.
func (s *server) compare(ctx context.Context, q *request) (event, []byte, error) {
	scores, meta, err := s.rankings(q, len(q.Systems))
	if err != nil {
		return nil, nil, err
	}
	metrics, err := q.metrics()
	if err != nil {
		return nil, nil, err
	}
	if len(metrics) != 1 {
		return nil, nil, errors.New("rankings are compared by one metric, with its cut-off")
	}
	var systems []evaluate.Values
	var warnings []string
	for i, name := range q.Systems {
		judged, err := evaluate.Judge(ctx, evaluate.FromScores(name, meta, scores[i]), metrics,
			evaluate.Options{Workers: q.Threads})
		if err != nil {
			return nil, nil, err
		}
		systems = append(systems, judged.Values(0))
		for _, text := range judged.Anomalies.Warnings() {
			warnings = append(warnings, name+": "+text)
		}
	}
	pairs := evaluate.WithFirst
	if q.AllPairs {
		pairs = evaluate.AllPairs
	}
	tests := significance.Options{Level: q.Level, Resamples: q.Resamples, Trials: q.Trials, Seed: q.Seed,
		Workers: q.Threads}
	c, err := evaluate.Compare(systems, tests, pairs)
	if err != nil {
		return nil, nil, err
	}
	e, payload, err := compared(c, metrics[0])
	e["warnings"] = warnings
	return e, payload, err
}

// compared returns a comparison, and as payload the values of the queries, system by system.
func compared(c *evaluate.Comparison, m metric.Metric) (event, []byte, error) {
	pairs, means := []any{}, []any{}
	var values []float64
	for i := range c.Systems {
		means = append(means, number64(c.Mean(i)))
		values = append(values, c.Values[i]...)
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		test := func(t significance.Test, corrected float64) []any {
			return []any{number64(t.Statistic), number64(t.P), number64(corrected)}
		}
		pairs = append(pairs, event{"a": c.Systems[p.A], "b": c.Systems[p.B], "difference": p.Difference,
			"interval": []any{number64(p.Interval.Low), number64(p.Interval.High)}, "wins": p.Wins, "ties": p.Equal,
			"losses": p.Loses,
			"effect": number64(p.Effect), "student_t": test(p.StudentT, p.Holm.StudentT),
			"randomization": test(p.Randomization, p.Holm.Randomization),
			"wilcoxon":      test(p.Wilcoxon, p.Holm.Wilcoxon)})
	}
	e := event{"metric": m.Name(), "convention": m.Convention().String(), "queries": len(c.Queries),
		"means": means, "pairs": pairs, "remark": c.Pairs[0].Remark()}
	return e, littleEndian(values), nil
}

// number64 returns a number as JSON holds it: what is not finite is null.
func number64(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
