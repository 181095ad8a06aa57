package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// TradeoffOptions are the options of [Tradeoff].
type TradeoffOptions struct {
	Options        // each finished mixture is an event
	A, B    string // objectives, such as "lambdarank@purchase" and "lambdarank@click"
	Steps   int    // number of mixtures, including A alone and B alone; at least 2
}

// Check returns an error for objectives that cannot be mixed, for metrics that are not two, and the errors of
// [Options.Check].
func (o *TradeoffOptions) Check(p *booster.Params) error {
	if o.A == "" || o.B == "" || o.Steps < 2 {
		return fmt.Errorf("a=%s b=%s steps=%d: name two objectives, as in a=lambdarank@purchase "+
			"b=lambdarank@click, and at least two steps", o.A, o.B, o.Steps)
	}
	for _, name := range []string{o.A, o.B} {
		_, err := strconv.ParseFloat(name[strings.LastIndexByte(name, ':')+1:], 64)
		if err == nil || strings.Contains(name, ",") {
			return fmt.Errorf("%s: name one objective for each of a and b, without a weight, as in "+
				"a=lambdarank@purchase; tradeoff gives them weights", name)
		}
	}
	if o.Objective != nil {
		return errors.New("tradeoff and an objective of your own: a and b name the objectives; leave yours out")
	}
	names, err := o.metrics(p)
	if err != nil {
		return err
	}
	mixed := o.mixed(p, 0.5, 0.5, names[0])
	return o.Options.Check(&mixed)
}

// mixed returns the parameters of a mixture with these weights, whose sum is 1.
func (o *TradeoffOptions) mixed(p *booster.Params, a, b float64, stop string) booster.Params {
	mixed := *p
	mixed.Metric, mixed.StopMetric = nil, stop
	switch {
	case b == 0:
		mixed.Objective = o.A
	case a == 0:
		mixed.Objective = o.B
	default:
		mixed.Objective = fmt.Sprintf("%s:%v,%s:%v", o.A, a, o.B, b)
	}
	return mixed
}

// share returns the share of this many steps. It has at most four digits, so that people can read and type
// the objective that was trained.
func (o *TradeoffOptions) share(step int) float64 {
	return math.Round(10000*float64(step)/float64(o.Steps-1)) / 10000
}

// metrics returns the names of the metrics of a and b: the stop metric, of the label of each.
func (o *TradeoffOptions) metrics(p *booster.Params) (names [2]string, err error) {
	rule := rounds.StopRule(&p.Params)
	if m, err := metric.Parse(rule, metric.Default()); err == nil {
		rule = strings.TrimSuffix(rule, "@"+metric.LabelOf(m))
	}
	for i, name := range []string{o.A, o.B} {
		names[i] = strings.TrimSuffix(rule+"@"+strings.Join(objective.Labels(name), ","), "@")
	}
	if names[0] == names[1] {
		err = errOneLabel(o, names)
	}
	return names, err
}

// errOneLabel returns the error for objectives of one label.
func errOneLabel(o *TradeoffOptions, names [2]string) error {
	return fmt.Errorf("a=%s and b=%s would both be judged by %s: name objectives of two labels", o.A, o.B,
		names[1])
}

// prepare returns the error of an objective for the data, which the last mixture would have.
func (o *TradeoffOptions) prepare(p *booster.Params, d Data) error {
	for _, name := range []string{o.A, o.B} {
		trained, err := objective.New(name, &p.AllParams)
		if err == nil {
			err = trained.Prepare(d.Train.Meta)
		}
		for _, label := range objective.Labels(name) {
			labeled, missing := d.Train.Meta.WithLabels(label)
			if err == nil && missing == nil && !labeled.AnyPairs() {
				err = fmt.Errorf("in none of the training queries does the %s of documents differ, so that this "+
					"objective alone learns no order; check the label", strings.TrimSpace("label "+label))
			}
		}
		if err != nil {
			return fmt.Errorf("objective=%s: %w", name, err)
		}
	}
	return nil
}

// TradeoffResult is the result of [Tradeoff], as text, TSV, JSON and a page.
type TradeoffResult struct {
	document
	Mixtures []*Mixture
}

// Mixture is the result of training with a mixture of two objectives.
type Mixture struct {
	Objective string
	Share     float64 // of b
	Trained           // PerQuery is by the metric of a, and Other by that of b

	Means     [2]float64 // of PerQuery and of Other
	Dominated bool       // another mixture is at least as good by both metrics, and better by one
}

// Tradeoff shows what one label costs another. It trains with mixtures of two objectives, whose weights go
// from A alone to B alone in equal steps, and judges each by the metrics of both on the same validation
// queries. The iteration of a mixture is the best one by the sum of both metrics with the same weights. If
// ctx is canceled, it returns the cause; with Options.Keep, the same call continues.
func Tradeoff(ctx context.Context, p booster.Params, d Data,
	o TradeoffOptions) (_ *TradeoffResult, err error) {
	defer d.loaded.Guard(&err)()
	if err := o.Check(&p); err != nil {
		return nil, err
	}
	names, _ := o.metrics(&p)
	b, err := newBegun(ctx, o.mixed(&p, 1, 0, names[0]), d, o.Options, nil)
	if err != nil {
		return nil, err
	}
	if b.other, err = metric.Parse(names[1], b.metric.Convention()); err != nil {
		return nil, err
	}
	first := d.Train.Meta.LabelName
	if label := metric.LabelOf(b.other); cmp.Or(label, first) == cmp.Or(metric.LabelOf(b.metric), first) {
		return nil, errOneLabel(&o, names)
	}
	if err := o.prepare(&p, d); err != nil {
		return nil, err
	}
	weights, _, err := validationWeights(b.parts, b.other, p.NumThreads)
	if err == nil {
		err = b.keep(o.Keep, "tradeoff", o.A, o.B, names)
	}
	if err != nil {
		return nil, err
	}
	r := &TradeoffResult{}
	for step := range o.Steps {
		m := &Mixture{Share: o.share(step)}
		b.params, b.share = o.mixed(&p, o.share(o.Steps-1-step), m.Share, names[0]), m.Share
		if err := b.trainMixture(m); err != nil {
			return nil, err
		}
		m.Means = [2]float64{metric.NewSample(m.PerQuery, b.weights).Mean(),
			metric.NewSample(m.Other, weights).Mean()}
		b.log.Info(fmt.Sprintf("%s: %s %.4f, %s %.4f, best iteration %d", m.Objective, names[0], m.Means[0],
			names[1], m.Means[1], m.Best), "event", "mixture", "objective", m.Objective, "share", m.Share,
			"best_iteration", m.Best, "a", m.PerQuery, "b", m.Other)
		r.Mixtures = append(r.Mixtures, m)
	}
	r.conclude(&b, weights)
	return r, nil
}

// trainMixture trains a mixture, unless that was done before.
func (b *begun) trainMixture(m *Mixture) error {
	m.Objective = b.params.Objective
	err := b.trainOnce(&m.Trained, b.kept.job("mixture", m.Share), b.params, b.parts)
	if err == nil && m.Err != nil {
		err = fmt.Errorf("objective=%s: %w", m.Objective, m.Err)
	}
	return err
}

// dominates reports whether m is at least as good as other by both metrics, and better by one.
func (m *Mixture) dominates(other *Mixture) bool {
	return m.Means[0] >= other.Means[0] && m.Means[1] >= other.Means[1] && m.Means != other.Means
}

// conclude states the result. weights are those of the validation queries for the second metric.
func (r *TradeoffResult) conclude(b *begun, weights []float64) {
	a, other := b.metric.Name(), b.other.Name()
	table := mixturesTable(a, other)
	marks := []plot.Series{{Name: "front"}, {Name: "dominated", Color: 1}}
	for _, m := range r.Mixtures {
		m.Dominated = slices.ContainsFunc(r.Mixtures, func(o *Mixture) bool { return o.dominates(m) })
		atA := metric.SampleOf(b.metric, m.PerQuery, b.weights).Interval(b.tests)
		atB := metric.SampleOf(b.other, m.Other, weights).Interval(b.tests)
		at, word := 0, "no"
		if m.Dominated {
			at, word = 1, "yes"
		}
		table.Add(m.Objective, m.Share, m.Means[0], atA.Low, atA.High, m.Means[1], atB.Low, atB.High, word, m.Best)
		point := plot.Point{X: m.Means[0], Y: m.Means[1], Low: atB.Low, High: atB.High,
			XLow: atA.Low, XHigh: atA.High}
		marks[at].Points = append(marks[at].Points, point)
	}
	r.Title, r.Tables = "What "+other+" costs "+a, []*report.Table{table}
	r.Finding = r.finding(a, other, len(marks[0].Points))
	r.Basis = fmt.Sprintf("%s, 95 %% intervals of each mean. %s, of the sum of both metrics, weighted as "+
		"the objectives; values are of that iteration. %s",
		wording.Count(len(r.Mixtures[0].PerQuery), "validation query"), smoothRule, metric.Rules(b.metric))
	chart := plot.Lines{ID: "figure", Title: r.Title, XLabel: a, YLabel: other, Series: marks, PointsOnly: true,
		Description: r.Finding}
	r.Sections = []report.Section{table.Section("Mixtures",
		"Take one that is not dominated, train with its objective, and judge it on test data.", "Mixtures",
		report.Figure{Chart: &chart, Caption: "Means, with their intervals over queries."})}
}

// mixturesTable returns the table of the mixtures, without rows. a and b are the names of the metrics.
func mixturesTable(a, b string) *report.Table {
	value := report.As("%.4f")
	return &report.Table{Name: "mixtures", Columns: []report.Column{{Name: "objective"},
		{Name: "share", Head: "share of b", Show: report.As("%.3g")},
		{Name: "a", Head: a, Show: value}, {Name: "low_a", Head: "low", Show: value},
		{Name: "high_a", Head: "high", Show: value},
		{Name: "b", Head: b, Show: value}, {Name: "low_b", Head: "low", Show: value},
		{Name: "high_b", Head: "high", Show: value},
		{Name: "dominated"}, {Name: "best_iteration", Show: report.As("%d")}}}
}

// finding says how far the metrics go, and how many mixtures are on the front.
func (r *TradeoffResult) finding(a, b string, front int) string {
	first, last := r.Mixtures[0], r.Mixtures[len(r.Mixtures)-1]
	return fmt.Sprintf("From %s to %s, %s goes from %.4f to %.4f and %s from %.4f to %.4f. %d of %d "+
		"mixtures %s not dominated: no other one is as good by both metrics and better by one.", first.Objective,
		last.Objective, a, first.Means[0], last.Means[0], b, first.Means[1], last.Means[1], front,
		len(r.Mixtures), wording.Agree(front, "is", "are"))
}
