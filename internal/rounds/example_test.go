package rounds_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// column is one feature of rows.
type column struct{ values []float64 }

func (c *column) NumRows() int { return len(c.values) }

// Fingerprint tells columns apart, for checkpoints.
func (c *column) Fingerprint(int, int) (numbers, text string, sums [2]uint64) {
	return "", fmt.Sprint(c.values), sums
}

// line is a learner whose score of a row is a weight times its feature. Each round moves the weight
// toward the least squares of scores and grades.
type line struct {
	train, valid training.Data[*column]
	weight, best float64
}

func (l *line) scores(c *column) []float64 {
	scores := make([]float64, len(c.values))
	for row, x := range c.values {
		scores[row] = l.weight * x
	}
	return scores
}

func (l *line) step(ctx context.Context, run *rounds.Run[float64]) (r training.Round, err error) {
	defer run.Guard(&r, &err)
	if err := run.Begin(ctx, &r); err != nil {
		return r, err
	}
	slope := 0.0
	for row, score := range l.scores(l.train.Values) {
		difference := score - l.train.Meta.Labels[row]
		r.Loss += difference * difference
		slope += 2 * difference * l.train.Values.values[row]
	}
	l.weight -= 0.1 * slope
	err = run.Finish(&r, "", nil)
	return r, err
}

func (l *line) Scores() ([][]float64, error) { return [][]float64{l.scores(l.valid.Values)}, nil }

func (l *line) See(_ int, _ float64, best bool) {
	if best {
		l.best = l.weight
	}
}

func (l *line) KeepsRounds() bool { return false }

func (l *line) Model(round int) float64 {
	if round > 0 {
		return l.best
	}
	return l.weight
}

// Train a custom learner: this package supplies rounds, evaluation and early stopping.
func ExampleRun() {
	meta := &dataset.Meta{Queries: []dataset.Query{{ID: "q", Len: 3}}, Labels: []float64{0, 1, 2}}
	train := training.Data[*column]{Name: "train", Meta: meta, Values: &column{[]float64{0.1, 0.4, 1.1}}}
	valid := training.Data[*column]{Name: "valid", Meta: meta, Values: &column{[]float64{0.2, 0.5, 0.9}}}

	p := training.DefaultParams()
	p.EvalAt, p.Patience = []int{3}, 2
	metrics, err := rounds.Metrics(&p, metric.Exp2())
	if err != nil {
		log.Fatal(err)
	}
	evaluator, err := rounds.NewEvaluator(&p, 100, train, []training.Data[*column]{valid}, metrics)
	if err != nil {
		log.Fatal(err)
	}
	learner := &line{train: train, valid: valid}
	run, err := rounds.New(evaluator, learner, training.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for {
		round, err := learner.step(context.Background(), run)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("round %d: loss %.2f, %s %.2f\n", round.Number, round.Loss, round.Evaluations[0].Result.Metric,
			round.Evaluations[0].Result.Mean)
	}
	r := run.Result()
	fmt.Printf("%s; the model of round %d: %.2f\n", r.Stopped, r.Kept, r.Model)
	// Output:
	// round 1: loss 5.00, ndcg@3 1.00
	// round 2: loss 2.67, ndcg@3 1.00
	// round 3: loss 1.45, ndcg@3 1.00
	// stopped early; the model of round 1: 0.52
}
