package study

import (
	"fmt"

	"github.com/lambdamart/lambdamart/metric"
)

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

	Source *RankerRun `json:"-"` // the training
}

func newRunDone(r *RankerRun, number, of int, name string) runDone {
	return runDone{Source: r, Number: number, Of: of, Fold: r.Fold, Ranker: r.Ranker, Variant: r.Variant,
		Seed: r.Seed, Metric: name,
		Validation: r.Validation, Test: r.Judged[0].Mean, Kept: r.Kept, Stopped: r.Stopped,
		Seconds: metric.Value(r.TrainSeconds)}
}

func (e runDone) Kind() string { return "end" }
func (e runDone) Level() int   { return 1 }

func (e runDone) String() string {
	return fmt.Sprintf("[%d/%d] %s %s seed %d: %s vali %.4f test %.4f (%d iterations kept, %.3g s, %s)",
		e.Number, e.Of, e.Fold, labelled(e.Ranker, e.Variant), e.Seed, e.Metric, float64(e.Validation),
		float64(e.Test), e.Kept, float64(e.Seconds), e.Stopped)
}
