package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// Share is the contribution of a feature to a score, or to a difference of scores.
type Share struct {
	Feature string        `json:"feature"`
	Value   metric.Value  `json:"value"`                   // of the feature
	Against *metric.Value `json:"against_value,omitempty"` // in the other document of a pair
	Share   metric.Value  `json:"share"`

	// Text and AgainstText are the categories that the values stand for; empty if they are numbers.
	Text        string `json:"text,omitempty"`
	AgainstText string `json:"against_text,omitempty"`
}

// Document is a document of a query.
type Document struct {
	Rank  int     `json:"rank"` // from 1; documents with equal scores are in the order of the file
	ID    string  `json:"id"`
	Label float64 `json:"label"`
	Score float64 `json:"score"`

	// Shares are the contributions of all features minus their means over the query, the largest first. They
	// sum to the score minus the mean score of the query.
	Shares []Share `json:"shares"`

	// Columns is the same for each column of a model with query context. The shares of a feature's column
	// and of its context sum to the feature's share in Shares.
	Columns []Share `json:"columns,omitempty"`

	row int
}

// Query is the ranking of one query.
type Query struct {
	ID         string       `json:"query"`
	Metric     string       `json:"metric"`
	Convention string       `json:"convention"` // the rules of the metric in words
	Value      metric.Value `json:"value"`      // of the metric; null if the convention leaves the query out
	Mean       float64      `json:"mean_score"`
	Documents  []Document   `json:"documents"` // by rank
	Loss       Loss         `json:"loss"`
}

// Query explains the ranking of query number n of d.Meta. The error is that of
// [metric.Evaluate], or wraps [ErrGrade].
func (d *Data) Query(n int) (*Query, error) {
	value, err := d.value(n)
	if err != nil {
		return nil, err
	}
	q := d.Meta.Queries[n]
	documents := d.ranked(q)
	means := d.means(q, d.of)
	result := &Query{ID: q.ID, Metric: d.metric().Name(), Convention: d.options.Convention.String(),
		Value: metric.Value(value), Documents: documents}
	if math.IsNaN(value) {
		value = 1 // nothing is lost
	}
	result.Loss = d.loss(documents, value)
	for i := range documents {
		document := &documents[i]
		result.Mean += document.Score / float64(len(documents))
		document.Shares = d.shares(d.used(), d.row(document.row), nil, d.of(document.row), means)
	}
	if d.Model.QueryContext() != nil {
		means = d.means(q, d.ofColumns)
		for i := range documents {
			document := &documents[i]
			document.Columns = d.shares(d.Model.UsedFeatures(), d.row(document.row), nil, d.ofColumns(document.row),
				means)
		}
	}
	return result, nil
}

// value returns the nDCG of query number n, NaN if the convention leaves it out.
func (d *Data) value(n int) (float64, error) {
	if err := d.checkGrades(n); err != nil {
		return 0, err
	}
	q := d.Meta.Queries[n]
	results, err := metric.Evaluate([]metric.Metric{d.metric()}, d.Meta.Select([]int{n}),
		d.Scores[q.First:q.First+q.Len], 1)
	if err != nil {
		return 0, err
	}
	return results[0].PerQuery[0], nil
}

// shares returns the contributions of some features or columns minus others, such as their means, the largest
// first. values are those of the document and, in a pair, against those of the other one.
func (d *Data) shares(numbers []int, values, against, given, others []float64) []Share {
	list := make([]Share, len(numbers))
	for i, n := range numbers {
		list[i] = Share{Feature: d.Model.Features[n].Name, Value: metric.Value(values[n]),
			Share: metric.Value(given[n] - others[n]), Text: d.category(n, values[n])}
		if against != nil {
			value := metric.Value(against[n])
			list[i].Against, list[i].AgainstText = &value, d.category(n, against[n])
		}
	}
	slices.SortStableFunc(list, func(a, b Share) int { return bySize(b.Share, a.Share) })
	return list
}

// category returns the text that a value of a feature stands for, or "" if it is a number.
func (d *Data) category(feature int, value float64) string {
	texts := d.Model.Dictionaries[feature]
	if value >= 0 && value < float64(len(texts)) {
		return texts[int(value)]
	}
	return ""
}

// bySize compares numbers by absolute value.
func bySize(a, b metric.Value) int { return cmp.Compare(math.Abs(float64(a)), math.Abs(float64(b))) }

func (d *Data) metric() metric.Metric { return metric.NDCG(d.options.Convention, d.options.Cutoff) }

// ranked returns the documents of a query by their scores, without their shares.
func (d *Data) ranked(q dataset.Query) []Document {
	documents := make([]Document, q.Len)
	for i := range documents {
		row := q.First + i
		documents[i] = Document{ID: d.name(row), Label: d.Meta.Labels[row], Score: d.Scores[row], row: row}
	}
	slices.SortStableFunc(documents, func(a, b Document) int { return cmp.Compare(b.Score, a.Score) })
	for i := range documents {
		documents[i].Rank = i + 1
	}
	return documents
}

// means returns the mean over a query of the contributions that of returns for a row.
func (d *Data) means(q dataset.Query, of func(row int) []float64) []float64 {
	means := make([]float64, d.Model.NumFeatures())
	for row := q.First; row < q.First+q.Len; row++ {
		for f, v := range of(row) {
			means[f] += v / float64(q.Len)
		}
	}
	return means
}
