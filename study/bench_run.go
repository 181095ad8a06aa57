package study

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// rankerRun is a finished training run with the values of its model on the test queries.
type rankerRun struct {
	Fold   string   `json:"fold"`
	Ranker string   `json:"ranker"`
	Kind   string   `json:"kind"`
	Set    []string `json:"parameters"` // as given
	Seed   int      `json:"seed"`

	Iterations int          `json:"iterations"`
	Kept       int          `json:"kept"` // the iteration with the best validation metric, from 1
	Stopped    string       `json:"stopped"`
	Warning    string       `json:"warning,omitempty"` // about the run
	Leaked     int          `json:"test_queries_among_training_queries,omitempty"`
	Validation metric.Value `json:"validation"` // metric of the iteration that was kept
	Curve      []runPoint   `json:"curve"`

	TrainSeconds float64 `json:"train_seconds"`
	ScoreMicros  float64 `json:"score_micros_a_document"`
	ModelBytes   int64   `json:"model_bytes"`

	Queries   []string       `json:"queries"`           // ids of the test queries
	Weights   nullable       `json:"weights,omitempty"` // of these queries; none if all are equal
	Documents int            `json:"documents"`
	Judged    []metricValues `json:"judged"`
}

// runPoint is a point of a learning curve.
type runPoint struct {
	Iteration int          `json:"iteration"`
	Value     metric.Value `json:"value"` // of the metric on the validation queries
}

// job is a training run of an experiment.
type job struct {
	split  int
	ranker *benchRanker
	seed   int
	entry  *jobEntry  // where its result is kept
	run    *rankerRun // nil until it is done
}

// name returns the name of the job in messages.
func (j *job) name(fold string) string {
	return fmt.Sprintf("%s %s seed %d", fold, j.ranker.Name, j.seed)
}

// path returns the name of the file of the result of a job.
func (j *job) path(fold string) string {
	return filepath.Join("runs", fold, fmt.Sprintf("%s.seed%d", j.ranker.Name, j.seed))
}

// isComplete reports whether r can be the complete result of a training run.
func (r *rankerRun) isComplete() bool {
	for _, j := range r.Judged {
		if len(j.Values) != len(r.Queries) {
			return false
		}
	}
	return len(r.Judged) > 0 && len(r.Curve) > 0 && (r.Weights == nil || len(r.Weights) == len(r.Queries))
}

// logRun reports a finished run, with the values of the metric that decides.
func (e *experiment) logRun(r *rankerRun, number, of int) {
	name := e.options.Metric
	text := fmt.Sprintf("[%d/%d] %s %s seed %d: %s vali %.4f test %.4f (%s kept, %.3g s, %s)",
		number, of, r.Fold, r.Ranker, r.Seed, name, float64(r.Validation),
		float64(r.Judged[0].Mean), wording.Count(r.Kept, "iteration"), r.TrainSeconds, r.Stopped)
	e.log.Info(text, "event", "end", "number", number, "of", of, "fold", r.Fold, "ranker", r.Ranker,
		"seed", r.Seed, "metric", name, "validation", r.Validation, "test", r.Judged[0].Mean,
		"iterations_kept", r.Kept, "stopped", r.Stopped, "seconds", r.TrainSeconds)
}

// identify writes everything that all training runs depend on.
func (e *experiment) identify(w io.Writer) {
	for _, m := range e.metrics {
		fmt.Fprintln(w, m.Name(), m.Convention())
	}
	fmt.Fprintln(w, e.options.Gain)
}

// facts returns everything that one training run depends on, except its data.
func (j *job) facts() []string {
	all := []string{j.ranker.Kind, fmt.Sprint(j.seed)}
	for _, p := range j.ranker.learner.table() {
		if decidedParams[p.Name] == "" {
			all = append(all, p.Name+"="+p.Value.String())
		}
	}
	slices.Sort(all[2:])
	return all
}

// dataKey returns a hash of the bytes of a split and its companions.
func dataKey(ctx context.Context, s Split, reading string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, reading)
	for i, path := range []string{s.Train, s.Vali, s.Test} {
		for _, companion := range append([]string{""}, data.Companions(path)...) {
			if err := addTree(ctx, hash, fmt.Sprint(i, companion), path+companion); err != nil &&
				(companion == "" || !errors.Is(err, fs.ErrNotExist)) {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// addTree adds a file to the hash, or the files in a folder in the order of their names.
func addTree(ctx context.Context, hash io.Writer, name, path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		size, sum, err := stream.Checksum(ctx, path)
		fmt.Fprintf(hash, "%s %s %d %s\n", name, entry.Name(), size, sum)
		return err
	})
}

// metrics returns first the metric that chooses and compares, then nDCG at each cut-off. Names mean the same
// as in training.
func (o *BenchOptions) metrics() ([]metric.Metric, error) {
	p := training.DefaultParams()
	p.Metric, p.EvalAt, p.MetricConvention = []string{"ndcg"}, o.Cutoffs, o.Convention
	ndcg, err := rounds.Metrics(&p, o.Gain)
	if err != nil {
		return nil, err
	}
	rules, err := metric.ConventionByName(o.Convention, o.Gain)
	if err != nil {
		return nil, err
	}
	first, err := metric.Parse(o.Metric, rules)
	switch {
	case err != nil:
		return nil, err
	case rules.Ties == metric.ByDocument:
		return nil, errors.New("metric_convention=" + o.Convention + " breaks ties by document id, which an " +
			"experiment does not read; choose another")
	case metric.ReadsPairs(first):
		return nil, fmt.Errorf("metric=%s: %w", o.Metric, errNoPairs)
	}
	others := slices.DeleteFunc(ndcg, func(m metric.Metric) bool { return m.Name() == first.Name() })
	return append([]metric.Metric{first}, others...), nil
}

// metricValues are the values of a metric for a model.
type metricValues struct {
	Metric string       `json:"metric"`
	Mean   metric.Value `json:"mean"`
	Values nullable     `json:"values"` // of each test query; NaN if it does not count
}

// judge adds to r the values of the metrics on the scores of all test documents, and the weights of the
// queries, which are the same for all metrics.
func (e *experiment) judge(r *rankerRun, d *testData, scores []float64) error {
	results, err := metric.Evaluate(e.metrics, d.meta, scores, e.options.Threads)
	if err != nil {
		return err
	}
	for i := range results {
		by := &results[i]
		if _, err := by.Sample(); err != nil {
			return err
		}
		r.Judged = append(r.Judged, metricValues{by.Metric, metric.Value(by.Mean), by.PerQuery})
	}
	r.Weights = results[0].Weights
	return nil
}

// Scoring is repeated until it has taken this long, or has been done this often. The fastest pass counts.
const (
	enoughTime   = 200 * time.Millisecond
	enoughPasses = 5
)

// timedScores scores all test documents on one thread, one query per call. It also returns the microseconds
// per document in the fastest pass.
func timedScores(d *testData, m *fittedRanker) (scores []float64, micros float64, err error) {
	scores = make([]float64, d.meta.NumRows())
	begin, fastest := time.Now(), time.Duration(math.MaxInt64)
	for pass := 0; pass < enoughPasses && (pass == 0 || time.Since(begin) < enoughTime); pass++ {
		start := time.Now()
		for _, q := range d.meta.Queries {
			rows := d.values[q.First*d.features : (q.First+q.Len)*d.features]
			if err := m.score(scores[q.First:q.First+q.Len], rows); err != nil {
				return nil, 0, err
			}
		}
		fastest = min(fastest, time.Since(start))
	}
	return scores, float64(fastest) / float64(time.Microsecond) / float64(len(scores)), nil
}
