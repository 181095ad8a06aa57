package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// scoreError is the error for a score that is NaN and so has no place in a ranking.
type scoreError struct {
	Row    int  // index in the list or, if InData, in the whole data
	InData bool // the message names the row
	Query  string
}

func (e *scoreError) Error() string {
	where := "a score"
	if e.InData {
		where = fmt.Sprintf("the score in row %d", e.Row)
	}
	return fmt.Sprintf("%s of query %s is NaN; rank every document or leave it out of the data", where,
		e.Query)
}

// ErrNoDocumentIDs is wrapped by errors for data without document ids under a convention that
// breaks ties by them ([ByDocument]).
var ErrNoDocumentIDs = errors.New("the convention breaks ties by document id, and there are none; give " +
	"docid_column=NAME, or \"# docid = ID\" at the ends of lines of LETOR text, or choose another convention")

// Evaluate judges all queries of the data by each metric and returns one result per metric, in their order.
// scores has one entry per row. Queries are judged in parallel, by the given number of goroutines (GOMAXPROCS
// if workers < 1), and summed in their order: results do not depend on the number of workers. Metrics of this
// package share the sorting.
//
// The error names the row of a label that a metric cannot judge or of a score that is
// NaN, wraps [ErrNoDocumentIDs], is [ErrNoPairs], or comes from a [Whole]. Errors give row numbers of the
// data.
//
// If several peers have parts of the data, the results are those of the whole data, with the same bits as one
// process would compute, except that Result.PerQuery and Result.Weights have the peer's own queries only. A
// [Whole] sees the peer's own part.
func Evaluate(metrics []Metric, data *dataset.Meta, scores []float64, workers int) ([]Result, error) {
	if len(scores) != data.NumRows() {
		return nil, fmt.Errorf("%s for %s of data", wording.Count(len(scores), "score"),
			wording.Count(data.NumRows(), "row"))
	}
	if slices.ContainsFunc(metrics, ReadsPairs) && !data.Part.Group().Any(len(data.Pairs) > 0) {
		return nil, ErrNoPairs
	}
	for _, m := range metrics { // lists do not know the file of the data
		if _, err := data.LabelsOf(LabelOf(m)); err != nil {
			return nil, err
		}
	}
	lists := make([]List, len(data.Queries))
	for number := range data.Queries {
		lists[number] = listOf(data, number, scores)
	}
	e := NewEvaluator(split(metrics), workers, data.Part)
	defer e.Close()
	if number, err := e.add(lists); err != nil {
		return nil, inData(err, data, data.Queries[number].First)
	}
	return withWhole(metrics, e.Results(), data, scores)
}

// ErrNoPairs is the error for data without given pairs that a metric judges by.
var ErrNoPairs = errors.New(
	"pair_agreement judges by given pairs of documents, and there are none; give pairs= to eval, " +
		"or valid_pairs= to train (in Python, pairs to evaluate and Dataset, or eval_pairs to fit)")

// ReadsPairs reports whether a metric judges by given pairs of documents, and not by labels.
func ReadsPairs(m Metric) bool {
	known, ok := m.(*metric)
	return ok && known.needs == needPairs
}

// listOf returns the list of a query's rows and their scores. It shares memory with both.
func listOf(data *dataset.Meta, number int, scores []float64) List {
	q := data.Queries[number]
	end := q.First + q.Len
	l := List{Query: q.ID, Labels: data.Labels[q.First:end], Scores: scores[q.First:end]}
	if data.Docs != nil {
		l.Docs = data.Docs[q.First:end]
	}
	for _, name := range data.LabelNames() {
		values, _ := data.LabelsOf(name)
		l.More = append(l.More, dataset.Labels{Name: name, Values: values[q.First:end]})
	}
	if data.Weights != nil {
		l.Weights = data.Weights[q.First:end]
	}
	l.Pairs = data.PairsOf(number)
	return l
}

// inData turns the row number in an error from the number in a list, which begins at row first of the data,
// into the number in the data, which messages then have, or into the place in the file of the data.
func inData(err error, data *dataset.Meta, first int) error {
	var label *labelError
	var score *scoreError
	var inFile *dataset.Error
	switch {
	case errors.As(err, &label):
		label.Row, label.InData = label.Row+first, true
		judged, failed := data.WithLabels(label.Name)
		if failed == nil && errors.As(judged.LabelError(label.Row, label.reason()), &inFile) {
			return inFile
		}
	case errors.As(err, &score):
		score.Row, score.InData = score.Row+first, true
	}
	return err
}

// Locate adds the row of the data, or its place in a file, to an error of an [Evaluator] about a label. It
// calls describe only for such an error.
func Locate(err error, describe func() (*dataset.Meta, error)) error {
	var label *labelError
	if !errors.As(err, &label) {
		return err
	}
	data, failed := describe()
	if failed != nil {
		return err
	}
	judged, failed := data.WithLabels(label.Name)
	if failed != nil {
		return err
	}
	for _, q := range data.Queries {
		for i, v := range judged.Labels[q.First : q.First+q.Len] {
			if q.ID == label.Query && (v == label.Label || math.IsNaN(v) && math.IsNaN(label.Label)) {
				label.Row = i
				return inData(err, data, q.First)
			}
		}
	}
	return err
}

// InFile adds the path of the labels to an error of an [Evaluator] about a label that has no row.
func InFile(err error, path string) error {
	if label := (*labelError)(nil); errors.As(err, &label) && !label.InData {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// Evaluator judges lists batch by batch, so only the current batch must be in memory. It is used by one
// goroutine at a time.
type Evaluator struct {
	metrics []Metric
	labels  []string // which the metrics judge by
	deepest int      // the largest cut-off; all ranks if < 1
	pool    *par.Pool
	memory  []query       // by worker
	tallies []tally       // by metric
	batch   [][]verdict   // by metric, then list of the current batch
	faults  []error       // by list of the current batch
	part    *dataset.Part // whose lists are judged together with the lists of other peers; nil: all of the data
}

// NewEvaluator returns an evaluator that uses the given number of goroutines, GOMAXPROCS if workers < 1.
// Close it to end them. If several processes judge parts of the data together, each makes an evaluator for
// its part, and the lists of rank 0 come first; part is nil if one process has all of the data.
func NewEvaluator(metrics []Metric, workers int, part *dataset.Part) *Evaluator {
	e := &Evaluator{metrics: metrics, deepest: deepestCutoff(metrics), pool: par.New(workers), part: part}
	e.memory = make([]query, e.pool.Workers())
	e.tallies = make([]tally, len(metrics))
	e.batch = make([][]verdict, len(metrics))
	for _, m := range metrics {
		if label := LabelOf(m); !slices.Contains(e.labels, label) {
			e.labels = append(e.labels, label)
		}
	}
	for i, m := range metrics {
		e.tallies[i] = tally{metric: m, convention: m.Convention(), within: ValuesOf(m)}
	}
	return e
}

// deepestCutoff returns the largest cut-off of the metrics of this package, 0 if one of them
// considers all ranks.
func deepestCutoff(metrics []Metric) int {
	deepest := 1
	for _, m := range metrics {
		if m, ok := m.(*metric); ok {
			if m.k < 1 {
				return 0
			}
			deepest = max(deepest, m.k)
		}
	}
	return deepest
}

// Close ends the evaluator's goroutines. Results may still be called.
func (e *Evaluator) Close() { e.pool.Close() }

// listBlock is the number of lists that a worker judges at a time.
const listBlock = 16

// Add judges lists in parallel and adds them, in their order, to the results. It does not keep them. If it
// returns an error for a list, none of them is added; after one for weights that add up to more than a
// float64 can hold, the results are invalid. Errors are as for [Evaluate], but name queries alone.
func (e *Evaluator) Add(lists ...List) error {
	_, err := e.add(lists)
	return err
}

// add is Add and also returns the number of the list that the error is about.
func (e *Evaluator) add(lists []List) (number int, err error) {
	if number, err := e.verdicts(lists); err != nil {
		return number, err
	}
	return e.tally(lists)
}

// verdicts judges lists, and returns the number of the list that the error is about.
func (e *Evaluator) verdicts(lists []List) (number int, err error) {
	for i := range e.batch {
		e.batch[i] = append(e.batch[i][:0], make([]verdict, len(lists))...)
	}
	e.faults = append(e.faults[:0], make([]error, len(lists))...)
	e.pool.Blocks(len(lists), listBlock, func(worker, from, to int) {
		for number := from; number < to; number++ {
			e.faults[number] = e.judge(&e.memory[worker], lists[number], number)
		}
		e.memory[worker].List = List{}
	})
	for number, err := range e.faults {
		if err != nil {
			return number, err
		}
	}
	return 0, nil
}

// tally adds the verdicts on lists to the results. It returns the number of the list that the error is about.
func (e *Evaluator) tally(lists []List) (int, error) {
	for number := range lists {
		weight := lists[number].weight()
		for i := range e.tallies {
			e.tallies[i].add(&lists[number], weight, e.batch[i][number])
			if e.tallies[i].weights > math.MaxFloat64 {
				return number, dataset.ErrWeightSum
			}
		}
	}
	return 0, nil
}

// judge writes the verdicts on one list of the batch.
func (e *Evaluator) judge(q *query, l List, number int) error {
	if err := l.checkLengths(); err != nil {
		return err
	}
	if row := slices.IndexFunc(l.Scores, math.IsNaN); row >= 0 {
		return &scoreError{Row: row, Query: l.Query}
	}
	for _, name := range e.labels {
		labeled, err := l.WithLabels(name)
		if err == nil {
			err = e.judgeBy(q, labeled, name, number)
		}
		if bad := (*labelError)(nil); errors.As(err, &bad) {
			bad.Name = name
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// judgeBy writes the verdicts of the metrics of one label.
func (e *Evaluator) judgeBy(q *query, l List, label string, number int) error {
	q.load(l, e.deepest)
	var checked *metric // the last one whose labels were checked
	for i, m := range e.metrics {
		if LabelOf(m) != label {
			continue
		}
		known, ok := m.(*metric)
		if !ok {
			value, counts := m.Query(l.Labels, l.Scores)
			e.batch[i][number] = verdict{value: value, counts: counts, empty: isEmpty(l.Labels)}
			continue
		}
		if checked == nil || checked.needs != known.needs || checked.rules != known.rules {
			if err := known.checkList(&l); err != nil {
				return err
			}
			checked = known
		}
		e.batch[i][number] = known.judge(known, q)
	}
	return nil
}

// checkList returns an error for labels that m cannot judge, and for missing document ids.
func (m *metric) checkList(l *List) error {
	if m.rules.Ties == ByDocument && l.Docs == nil && len(l.Labels) > 1 && m.needs != needPairs {
		return fmt.Errorf("query %s under the convention %s: %w", l.Query, m.rules.Name, ErrNoDocumentIDs)
	}
	for _, labels := range [][]float64{l.Labels, l.Unranked} {
		if err := m.rules.check(labels, m.needs); err != nil {
			err.Query = l.Query
			return err
		}
	}
	return nil
}

// isEmpty reports whether no label is above 0.
func isEmpty(labels []float64) bool {
	return !slices.ContainsFunc(labels, func(label float64) bool { return label > 0 })
}

// term is the contribution of a query to a mean.
type term struct {
	value  float64 // times its weight
	weight float64
}

// joinMeans adds up the terms of all peers. Means are sums of floats in the order of the queries, so each
// peer adds its terms to the sums of the peer before it.
func joinMeans(part *dataset.Part, tallies []tally) {
	sums := make([]float64, 2*len(tallies))
	part.Group().Chain(sums, func() {
		for i := range tallies {
			t := &tallies[i]
			t.sum, t.weights = sums[2*i], sums[2*i+1]
			for _, q := range t.terms {
				t.sum += q.value
				t.weights += q.weight
			}
			sums[2*i], sums[2*i+1] = t.sum, t.weights
		}
	})
	for i := range tallies {
		tallies[i].sum, tallies[i].weights = sums[2*i], sums[2*i+1]
	}
}

// joinCounts adds up the counts of all peers.
func joinCounts(part *dataset.Part, tallies []tally) {
	var counts []int64
	for i := range tallies {
		r := &tallies[i].result
		counts = append(counts, int64(r.Queries), int64(r.Empty), int64(r.Single), int64(r.Tied), int64(r.LeftOut),
			int64(count(r.Weighted)), int64(count(r.bare)))
	}
	part.Group().Sum(counts)
	for i := range tallies {
		r, c := &tallies[i].result, counts[7*i:]
		r.Queries, r.Empty, r.Single, r.Tied, r.LeftOut = int(c[0]), int(c[1]), int(c[2]), int(c[3]), int(c[4])
		r.Weighted, r.bare = c[5] > 0, c[6] > 0
	}
}
