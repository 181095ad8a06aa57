package study

import (
	"fmt"
	"path/filepath"

	"github.com/lambdamart/lambdamart/metric"
)

// RankerRun is a finished training and the values of its model on the test queries.
type RankerRun struct {
	Fold    string   `json:"fold"`
	Ranker  string   `json:"ranker"`
	Kind    string   `json:"kind"`
	Variant string   `json:"variant,omitempty"`
	Set     []string `json:"parameters"` // that were given
	Seed    int      `json:"seed"`

	Iterations int          `json:"iterations"`
	Kept       int          `json:"kept"` // the iteration with the best validation metric, from 1
	Stopped    string       `json:"stopped"`
	OutOfTime  bool         `json:"out_of_time,omitempty"`
	Warning    string       `json:"warning,omitempty"` // about the training
	Leaked     int          `json:"test_queries_among_training_queries,omitempty"`
	Validation metric.Value `json:"validation"` // metric of the iteration that was kept
	Curve      []RunPoint   `json:"curve"`

	TrainSeconds float64     `json:"train_seconds"`
	ScoreMicros  float64     `json:"score_micros_a_document"`
	ModelBytes   int64       `json:"model_bytes"`
	Importance   []GainShare `json:"importance,omitempty"`

	Queries   []string       `json:"queries"`           // ids of the test queries
	Weights   metric.Values  `json:"weights,omitempty"` // of these; none if all are equal
	Documents int            `json:"documents"`
	Judged    []MetricValues `json:"judged"`
}

// RunPoint is a point of a learning curve.
type RunPoint struct {
	Iteration int          `json:"iteration"`
	Seconds   float64      `json:"seconds"` // since training began
	Value     metric.Value `json:"value"`   // of the metric on the validation queries
}

// job is a training of an experiment.
type job struct {
	split   int
	ranker  *comparedRanker
	variant *variant
	seed    int
	data    string     // hash of the split
	entry   *jobEntry  // where its result is kept
	run     *RankerRun // nil until it is done
}

// name returns the name of the job in messages.
func (j *job) name(fold string) string {
	return fmt.Sprintf("%s %s seed %d", fold, labelled(j.ranker.Name, j.variant.name), j.seed)
}

// labelled returns the name of a ranker with that of its variant, if it has one.
func labelled(ranker, variant string) string {
	if variant == "" {
		return ranker
	}
	return ranker + "@" + variant
}

// path returns the name of the file of the result of a job.
func (j *job) path(fold string) string {
	return filepath.Join("runs", fold, fmt.Sprintf("%s.seed%d", labelled(j.ranker.Name, j.variant.name), j.seed))
}

// isComplete reports whether a training may have written the result.
func (r *RankerRun) isComplete() bool {
	for _, j := range r.Judged {
		if len(j.Values) != len(r.Queries) {
			return false
		}
	}
	return len(r.Judged) > 0 && len(r.Curve) > 0 && (r.Weights == nil || len(r.Weights) == len(r.Queries))
}

// runBegun is a run that begins.
type runBegun struct {
	Number int    `json:"number"`
	Of     int    `json:"of"`
	Name   string `json:"name"`
	event
}

// runDone is a finished training.
type runDone struct {
	Number     int          `json:"number"`
	Of         int          `json:"of"`
	Fold       string       `json:"fold"`
	Ranker     string       `json:"ranker"`
	Variant    string       `json:"variant,omitempty"`
	Seed       int          `json:"seed"`
	Metric     string       `json:"metric"`
	Validation metric.Value `json:"validation"`
	Test       metric.Value `json:"test"`
	Kept       int          `json:"iterations_kept"`
	Stopped    string       `json:"stopped"`
	Seconds    metric.Value `json:"seconds"`
	event
}

func newRunDone(r *RankerRun, number, of int, name string) Event {
	text := fmt.Sprintf("[%d/%d] %s %s seed %d: %s vali %.4f test %.4f (%d iterations kept, %.3g s, %s)",
		number, of, r.Fold, labelled(r.Ranker, r.Variant), r.Seed, name, float64(r.Validation),
		float64(r.Judged[0].Mean), r.Kept, r.TrainSeconds, r.Stopped)
	return runDone{number, of, r.Fold, r.Ranker, r.Variant, r.Seed, name, r.Validation, r.Judged[0].Mean, r.Kept,
		r.Stopped, metric.Value(r.TrainSeconds), event{"end", 1, text}}
}
