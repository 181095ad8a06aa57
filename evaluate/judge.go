package evaluate

import (
	"context"
	"errors"
	"fmt"
	"github.com/lambdamart/lambdamart/dataset"
	"math"

	"github.com/lambdamart/lambdamart/evaluate/internal/group"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/scoring"
)

// Options bound what judging may use. They change no figure, and the zero value suits most.
type Options struct {
	Workers int // goroutines that judge queries; GOMAXPROCS if below 1
	// bytes for sorting rows whose queries do not follow each other; DefaultSortMemory if below 1
	SortMemory int64
	SortFolder string // of the temporary file for the rows that this memory does not hold; os.TempDir() if empty
}

// DefaultSortMemory is the memory in bytes that rows are sorted in by default. It is enough for 13
// million rows without document ids.
const DefaultSortMemory = 512 << 20

// Judgment is a ranking that was judged. The slices by query are in the order in which the queries
// first came. Where peers have parts of the data, all figures are about the whole data. The slices by query
// have all queries for the first peer, and for each other peer its own.
type Judgment struct {
	System    string
	Queries   []string        // ids
	Documents []int           // of each query, those that are judged but not ranked included
	Results   []metric.Result // one for each metric, in their order
	Anomalies Anomalies

	// Scoring says how the model's features fitted the data; nil unless the ranking came from a
	// model.
	Scoring *scoring.Summary
}

var (
	errNoRanking = errors.New("evaluate: the Ranking is empty; make it with FromRows, FromScores, FromModel, " +
		"FromScoreFile, FromTable or FromRun")
	errNoMetric = errors.New("evaluate: no metric; give at least one, such as metric.NDCG(metric.Default(), 10)")
)

// Judge judges a ranking by each metric. Queries are judged in parallel.
//
// Errors are those of what the ranking comes from, and those of [metric.Evaluate]: one
// that names a grade that a metric cannot judge, with its row within the query, and one that wraps [metric.ErrNoDocumentIDs] where a convention ranks equal scores by document id
// and there are none.
func Judge(ctx context.Context, r Ranking, metrics []metric.Metric, o Options) (*Judgment, error) {
	switch {
	case r.read == nil:
		return nil, errNoRanking
	case len(metrics) == 0:
		return nil, errNoMetric
	}
	j := &judge{options: o, metrics: metrics}
	defer j.close()
	if err := r.read(ctx, j); err != nil {
		return nil, err
	}
	if err := j.join(); err != nil {
		return nil, err
	}
	judged := &Judgment{
		System:    r.System,
		Queries:   j.queries,
		Documents: j.documents,
		Results:   j.evaluator.Results(),
		Anomalies: j.found,
		Scoring:   j.scoring,
	}
	return judged, judged.gather(j.part.Group())
}

// judge judges the lists of one ranking as they come.
type judge struct {
	options   Options
	metrics   []metric.Metric
	evaluator *metric.Evaluator
	queries   []string
	documents []int
	found     Anomalies
	scoring   *scoring.Summary
	part      *dataset.Part // of the data of the ranking; nil: all of it
}

var _ group.Sink = (*judge)(nil)

// Reset forgets all lists: reading begins, or begins again.
func (j *judge) Reset() {
	j.close()
	j.evaluator = metric.NewEvaluator(j.metrics, j.options.Workers, j.part)
	j.queries, j.documents = nil, nil
	j.found = Anomalies{}
}

// Add judges lists.
func (j *judge) Add(lists ...metric.List) error {
	for _, l := range lists {
		j.queries = append(j.queries, l.Query)
		j.documents = append(j.documents, len(l.Labels)+len(l.Unranked))
	}
	return j.evaluator.Add(lists...)
}

func (j *judge) close() {
	if j.evaluator != nil {
		j.evaluator.Close()
	}
}

// grouped makes a list of the rows of each query, in whatever order rows come, and judges it. src
// may be called twice.
func (j *judge) grouped(ctx context.Context, src group.Source) error {
	o := group.Options{Memory: j.options.SortMemory, Folder: j.options.SortFolder}
	if o.Memory < 1 {
		o.Memory = DefaultSortMemory
	}
	stats, err := group.Queries(ctx, src, o, j)
	j.found.Documents, j.found.Sorted, j.found.TemporaryBytes = stats.Rows, stats.Sorted, stats.Stored
	return err
}

// ErrNoInterval says that the mean of a result has no interval.
var ErrNoInterval = errors.New("fewer than two queries count")

// Interval returns the confidence interval of the mean of one of the results, over queries with their
// weights. The error wraps [ErrNoInterval] or [metric.ErrBareQueries] where there is none; the bounds are
// NaN then. remark is what a person should know of it, or empty.
func (j *Judgment) Interval(result int, o metric.TestOptions) (
	i metric.Interval, remark string, err error) {
	none := metric.Interval{Low: math.NaN(), High: math.NaN()}
	if err := o.Validate(); err != nil {
		return none, "", err
	}
	r := &j.Results[result]
	sample, err := r.Sample()
	switch {
	case err != nil:
		return none, "", err
	case len(sample.Values) < 2:
		return none, "", fmt.Errorf("%s under %s has no interval: %w", r.Metric, r.Convention.Name, ErrNoInterval)
	}
	return sample.Interval(o), sample.Remark(), nil
}
