package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/tree"
)

// Errors of [Calibrate].
var (
	ErrOneOutcome = errors.New("a calibration needs documents of both outcomes: choose another grade by " +
		"calibration_label=grade>=NUMBER, or give other data")
	ErrUnordered = errors.New("events are not more frequent at higher scores, so that no rising function of " +
		"the score gives probabilities: the model does not rank this data")
)

// Auto is the kind of calibration that has the lower log loss on queries that it was not fitted on.
const Auto = "auto"

// largestScore keeps the squares of scores, and their sums, finite.
const largestScore = 1e100

// Calibrate fits a calibration of scores on labeled data, one score a row. Rows count by their weights. kind
// is tree.Platt, tree.Isotonic or Auto. Scores are from -1e100 to 1e100. Errors wrap [ErrOneOutcome],
// [ErrUnordered] and [dataset.ErrNoLabel], or are the cause if ctx is canceled.
func Calibrate(ctx context.Context, kind string, data *dataset.Meta, scores []float64,
	event tree.Event) (*tree.Calibration, error) {
	err := data.Check()
	if err == nil {
		data, err = data.WithLabels(event.Label)
	}
	if err != nil {
		return nil, err
	}
	if len(scores) != data.NumRows() {
		return nil, fmt.Errorf("%s for a calibration on %s: want one a row", wording.Count(len(scores), "score"),
			wording.Count(data.NumRows(), "row"))
	}
	rows := make([]outcome, len(scores))
	for i, s := range scores {
		if !(math.Abs(s) <= largestScore) {
			return nil, fmt.Errorf("the score of %s is %v, and a calibration needs scores from -1e100 to 1e100: "+
				"look for leaves of such values in the model", data.Place(i), s)
		}
		rows[i] = outcome{score: s, weight: 1}
		if data.Weights != nil {
			rows[i].weight = data.Weights[i]
		}
		if data.Labels[i] >= event.Grade {
			rows[i].good = rows[i].weight
		}
	}
	if kind == Auto {
		kind = betterKind(ctx, data.Queries, rows, event)
	}
	c, err := fit(ctx, kind, rows, event)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return c, err
}

// outcome is a document, or several documents of similar scores: their mean score, total weight, and the
// weight of events among them.
type outcome struct{ score, weight, good float64 }

func (o outcome) share() float64 { return o.good / o.weight }

// fit fits a calibration of one kind. The result means nothing if ctx is canceled.
func fit(ctx context.Context, kind string, rows []outcome, event tree.Event) (*tree.Calibration, error) {
	good, bad := totals(rows)
	if math.IsInf(good+bad, 0) {
		return nil, dataset.ErrWeightSum
	}
	if !(good > 0 && bad > 0) {
		return nil, fmt.Errorf("%v documents of %v, by weight, and %v others: %w", good, event, bad, ErrOneOutcome)
	}
	if kind == tree.Platt {
		a, b := platt(ctx, rows)
		if !(a < 0) {
			return nil, ErrUnordered
		}
		return &tree.Calibration{Kind: kind, Event: event, A: a, B: b}, nil
	}
	c := &tree.Calibration{Kind: tree.Isotonic, Event: event}
	blocks := isotonic(rows)
	for i, b := range blocks {
		if last := len(c.Scores) - 1; last >= 0 && !(b.score > c.Scores[last]) {
			continue // rounding of means
		}
		c.Scores, c.Probabilities = append(c.Scores, b.score), append(c.Probabilities, shareOf(blocks, i))
	}
	if len(c.Scores) == 1 {
		return nil, ErrUnordered
	}
	return c, nil
}

// shareOf returns the share of events in block i. No documents make an outcome certain: by the rule of
// succession, w documents of one outcome leave the other a share of 1/(w+2), or what the block beside has,
// which is nearer.
func shareOf(blocks []outcome, i int) float64 {
	b := blocks[i]
	switch share := b.share(); {
	case share <= 0 && i+1 < len(blocks):
		return min(1/(b.weight+2), blocks[i+1].share())
	case share >= 1 && i > 0:
		return max((b.weight+1)/(b.weight+2), blocks[i-1].share())
	default:
		return share
	}
}

func totals(rows []outcome) (good, bad float64) {
	for _, o := range rows {
		good += o.good
		bad += o.weight - o.good
	}
	return good, bad
}

// isotonic returns the blocks of the isotonic regression of outcomes on scores, by pool-adjacent-violators:
// from the lowest score on, a block joins the one before while its share of events is not larger. (Ayer et
// al., An empirical distribution function for sampling with incomplete information, 1955. That the share of a
// block belongs to its mean score, with lines between, is centered isotonic regression: Oron and Flournoy,
// 2017.)
func isotonic(rows []outcome) []outcome {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b outcome) int { return cmp.Compare(a.score, b.score) })
	var scores, blocks []outcome // of each score, and of the regression
	for _, o := range sorted {
		if last := len(scores) - 1; last >= 0 && scores[last].score == o.score {
			scores[last] = joined(scores[last], o)
		} else if o.weight > 0 {
			scores = append(scores, o)
		}
	}
	for _, o := range scores {
		for n := len(blocks); n > 0 && o.share() <= blocks[n-1].share(); n-- {
			o, blocks = joined(blocks[n-1], o), blocks[:n-1]
		}
		blocks = append(blocks, o)
	}
	return blocks
}

func joined(a, b outcome) outcome {
	w := a.weight + b.weight
	return outcome{score: a.score + float64((b.score-a.score)*(b.weight/w)), weight: w, good: a.good + b.good}
}

// plattResolution is how exactly float64 holds the loss, as a share of it: whether a step that should change
// it by less is a good one cannot be told, and to try ever smaller ones takes most of the time on many rows.
const plattResolution = 1e-16

// platt returns A and B of the probability 1/(1+e^(A·s+B)), by Newton's method with backtracking, on Platt's
// targets (N₊+1)/(N₊+2) and 1/(N₋+2). (Lin, Lin and Weng, A note on Platt's probabilistic outputs for
// support vector machines, Machine Learning 68, 2007, appendix 3.) It ends early if ctx is canceled.
func platt(ctx context.Context, rows []outcome) (a, b float64) {
	good, bad := totals(rows)
	f := plattFit{rows, (good + 1) / (good + 2), 1 / (bad + 2)}
	a, b = 0, math.Log((bad+1)/(good+1))
	loss := f.loss(a, b)
	for range 100 {
		gradA, gradB, da, db := f.newton(a, b)
		if math.Abs(gradA) < 1e-5 && math.Abs(gradB) < 1e-5 || ctx.Err() != nil {
			break
		}
		slope := float64(gradA*da) + float64(gradB*db)
		if -slope < plattResolution*loss {
			break
		}
		step := 1.0
		for ; step >= 1e-10 && ctx.Err() == nil; step /= 2 {
			newA, newB := a+float64(step*da), b+float64(step*db)
			if v := f.loss(newA, newB); v < loss+float64(1e-4*float64(step*slope)) {
				a, b, loss = newA, newB, v
				break
			}
		}
		if step < 1e-10 {
			break
		}
	}
	return a, b
}

// plattFit is what platt fits to: outcomes, and the targets of events and of their absence.
type plattFit struct {
	rows      []outcome
	high, low float64
}

// newton returns the gradient of the loss at a and b, and the step to the minimum of its quadratic
// approximation there.
func (f *plattFit) newton(a, b float64) (gradA, gradB, da, db float64) {
	hessAA, hessAB, hessBB := 1e-12, 0.0, 1e-12
	for _, o := range f.rows {
		p := 1 / (1 + exact.Exp(float64(a*o.score)+b))
		d2 := float64(float64(o.weight*p) * (1 - p))
		d1 := float64(o.good*(f.high-p)) + float64((o.weight-o.good)*(f.low-p))
		hessAA += float64(float64(o.score*o.score) * d2)
		hessAB += float64(o.score * d2)
		hessBB += d2
		gradA += float64(o.score * d1)
		gradB += d1
	}
	det := float64(hessAA*hessBB) - float64(hessAB*hessAB)
	da = -(float64(hessBB*gradA) - float64(hessAB*gradB)) / det
	db = -(float64(hessAA*gradB) - float64(hessAB*gradA)) / det
	return gradA, gradB, da, db
}

// loss returns the cross entropy of the targets and the probabilities.
func (f *plattFit) loss(a, b float64) (sum float64) {
	for _, o := range f.rows {
		x := float64(a*o.score) + b
		t := float64(o.good*f.high) + float64((o.weight-o.good)*f.low)
		if x >= 0 {
			sum += float64(t*x) + float64(o.weight*exact.Ln(1+exact.Exp(-x)))
		} else {
			sum += float64((t-o.weight)*x) + float64(o.weight*exact.Ln(1+exact.Exp(x)))
		}
	}
	return sum
}

// folds is the number of parts of the queries that betterKind holds out in turn.
const folds = 5

// betterKind returns the kind that has the lower log loss on queries that it was not fitted on. A tie, and
// data in which a kind cannot be fitted to all parts, goes to Platt, which has two numbers. The result means
// nothing if ctx is canceled.
func betterKind(ctx context.Context, queries []dataset.Query, rows []outcome, event tree.Event) string {
	losses := map[string]float64{}
	for held := range folds {
		if ctx.Err() != nil {
			break
		}
		var inside, outside []outcome
		for number, q := range queries {
			part := rows[q.First : q.First+q.Len]
			if number%folds == held {
				outside = append(outside, part...)
			} else {
				inside = append(inside, part...)
			}
		}
		for _, kind := range []string{tree.Platt, tree.Isotonic} {
			c, err := fit(ctx, kind, inside, event)
			if err != nil {
				losses[kind] = math.Inf(1)
				continue
			}
			losses[kind] += logLoss(c, outside)
		}
	}
	if losses[tree.Isotonic] < losses[tree.Platt] {
		return tree.Isotonic
	}
	return tree.Platt
}

// logLoss returns the sum of -log p of the outcomes of rows.
func logLoss(c *tree.Calibration, rows []outcome) (sum float64) {
	for _, o := range rows {
		p := c.Probability(o.score)
		sum -= float64(o.good*exact.Ln(p)) + float64((o.weight-o.good)*exact.Ln(1-p))
	}
	return sum
}
