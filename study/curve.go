package study

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// CurveOptions are the options of [Curve].
type CurveOptions struct {
	Options           // each finished share is an event
	Shares  []float64 // of the training queries, ascending, above 0 and at most 1
}

// Check returns an error for invalid shares, and the errors of [Options.Check].
func (o *CurveOptions) Check(p *booster.Params) error {
	wrong := len(o.Shares) < 2
	for i, share := range o.Shares {
		wrong = wrong || !(share > 0 && share <= 1) || i > 0 && share <= o.Shares[i-1]
	}
	err := o.Options.Check(p)
	if wrong {
		return errors.Join(err, fmt.Errorf("shares=%v: want ascending numbers above 0 and at most 1, as in "+
			"0.1,0.5,1", o.Shares))
	}
	return err
}

// CurveResult is the result of [Curve], as text, TSV, JSON and a page.
type CurveResult struct {
	document
	Shares  []*Share
	Largest *Share // largest share on which training succeeded
}

// Share is the result of training on a share of the queries.
type Share struct {
	Share   float64
	Queries float64 // to train on, the mean over parts
	Value   float64 // mean of PerQuery
	Trained
}

// text describes the result of the share.
func (s *Share) text() string {
	if s.Err != nil {
		return fmt.Sprintf("share %g: %v", s.Share, s.Err)
	}
	return fmt.Sprintf("share %g: %.0f queries, best iteration %d of %d", s.Share, s.Queries, s.Best,
		len(s.Curve))
}

// logShare reports a share, which is trained or could not be.
func (b *begun) logShare(s *Share) {
	facts := []any{"event", "share", "share", s.Share, "queries", s.Queries, "best_iteration", s.Best,
		"iterations", len(s.Curve)}
	if s.Err != nil {
		facts = append(facts, "error", s.Err.Error())
	} else {
		facts = append(facts, "per_query", s.PerQuery)
	}
	b.log.Info(s.text(), facts...)
}

// Curve tests whether more training queries improve a ranker. It trains with the parameters p on shares of
// the training queries, each of which includes the smaller shares, and evaluates all models on the same
// validation queries. Each share is compared with the one before (randomization test); p-values are
// multiplied by the number of these comparisons (Bonferroni). If ctx is canceled, it returns the cause; with
// Options.Keep, the same call continues. If a share fails, the error names it, and the result of the other
// shares is returned as well.
func Curve(ctx context.Context, p booster.Params, d Data, o CurveOptions) (_ *CurveResult, err error) {
	defer d.loaded.Guard(&err)()
	b, err := newBegun(ctx, p, d, o.Options, o.Check(&p))
	if err == nil {
		err = b.keep(o.Keep)
	}
	if err != nil {
		return nil, err
	}
	r, done, failed := &CurveResult{}, 0, error(nil)
	for _, share := range o.Shares {
		s := &Share{Share: share}
		if err := b.trainShare(s); err != nil {
			return nil, err
		}
		b.logShare(s)
		r.Shares, done = append(r.Shares, s), done+1
		if s.Err != nil {
			failed, done = errors.Join(failed, errors.New(s.text())), done-1
		}
	}
	if done < 2 {
		return nil, fmt.Errorf("fewer than two shares could be trained:\n%w", failed)
	}
	return r, errors.Join(r.conclude(&b), failed)
}

// Final returns the parameters of a training run on all data, with the number of iterations that was best for
// the largest share.
func (r *CurveResult) Final(p booster.Params) booster.Params { return final(p, r.Largest.Best) }

// trainShare trains on a share, unless that was done before.
func (b *begun) trainShare(s *Share) error {
	some := sampleParts(b.parts, s.Share, b.params.Seed)
	queries := 0.0
	for i := range some {
		if len(some[i].Train) == 0 {
			s.Err = fmt.Errorf("it has none of %s; give a larger one",
				wording.Count(len(b.parts[i].Train), "training query"))
			return context.Cause(b.ctx)
		}
		queries += float64(len(some[i].Train)) / float64(len(some))
	}
	s.Queries = queries
	return b.trainOnce(&s.Trained, b.kept.job("share", s.Share), b.params, some)
}

// conclude states the result of the comparison.
func (r *CurveResult) conclude(b *begun) error {
	name, none := b.metric.Name(), math.NaN()
	line := plot.Series{Name: name}
	table := report.NewTable("shares", "share", "%g", "queries", "%.0f", name, "%.4f", "low", "%.4f", "high",
		"%.4f", "difference", "%+.4f", "p", "%.4f", "best_iteration", "%d", "error", "")
	for _, s := range r.Shares {
		if s.Err != nil {
			r.Warn(s.text())
			table.Add(s.Share, s.Queries, none, none, none, none, none, s.Best, s.Err.Error())
			continue
		}
		sample, difference, p := metric.NewSample(s.PerQuery, b.weights), none, none
		if before := r.Largest; before != nil {
			c, err := metric.Compare(before.PerQuery, s.PerQuery, b.weights, b.tests)
			if err != nil {
				return err
			}
			difference, p = c.Difference, min(1, float64(c.Randomization.P*float64(len(r.Shares)-1)))
			r.Finding = fmt.Sprintf("From %.0f to %.0f training queries, %s changes by %+.4f, which is %s.",
				before.Queries, s.Queries, name, difference, c.Verdict(p))
		}
		at := sample.Interval(b.tests)
		r.Largest, s.Value = s, sample.Mean()
		table.Add(s.Share, s.Queries, s.Value, at.Low, at.High, difference, p, s.Best, "")
		line.Points = append(line.Points, plot.Point{X: s.Queries, Y: s.Value, Low: at.Low, High: at.High})
	}
	r.Title, r.Tables = "Do more queries help? "+name, []*report.Table{table}
	r.Basis = fmt.Sprintf("%s, 95 %% intervals. %s; values are of that iteration. %s: %s",
		wording.Count(len(r.Largest.PerQuery), "validation query"), smoothRule, name, metric.Rules(b.metric))
	chart := plot.Lines{ID: "figure", Title: r.Title, XLabel: "training queries (logarithmic)", LogX: true,
		YLabel: "validation " + name, Series: []plot.Series{line}, Description: r.Finding}
	r.Sections = []report.Section{table.Section("Shares", "A share has all queries of the smaller ones. "+
		"Differences and p compare it with the previous share.", "Shares",
		report.Figure{Chart: &chart, Caption: "Means, with intervals over queries."})}
	return nil
}
