package booster

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// ownMetric is a metric of a caller.
type ownMetric struct{ metric.Metric }

func (ownMetric) Name() string { return "own" }

// TestUnreadPairs: pairs of documents that nothing reads are refused. The caller's own functions may read
// them.
func TestUnreadPairs(t *testing.T) {
	const (
		toLearn = "set 0 has pairs of documents, which objective=lambdarank does not read"
		toJudge = "set 1 has pairs of documents, which no metric reads"
	)
	lambda, hessian := make([]float64, 60), make([]float64, 60)
	for row := range lambda {
		lambda[row], hessian[row] = float64(row%7)-3, 1
	}
	named := func(name string) func(*Params, *Options) {
		return func(p *Params, _ *Options) { p.Objective = name }
	}
	for name, c := range map[string]struct {
		paired [2]bool // training data, validation data
		change func(*Params, *Options)
		want   string
	}{
		"no pairs":         {change: named("lambdarank")},
		"learned":          {[2]bool{true, false}, named("pairs"), ""},
		"learned in a sum": {[2]bool{true, false}, named("pairs:1,lambdarank:0.5"), ""},
		"own objective": {[2]bool{true, false}, func(_ *Params, o *Options) {
			o.Objective = &given{lambda, hessian}
		}, ""},
		"training data, ignored": {[2]bool{true, false}, named("lambdarank"), toLearn},
		"a metric of validation data only": {[2]bool{true, false}, func(p *Params, _ *Options) {
			p.Metric = []string{"pair_agreement"}
		}, toLearn},
		"a metric of training data": {[2]bool{true, true}, func(p *Params, _ *Options) {
			p.Metric, p.IsTrainingMetric = []string{"pair_agreement"}, true
		}, ""},
		"validation data, ignored": {[2]bool{false, true}, named("lambdarank"), toJudge},
		"validation data, judged": {[2]bool{false, true}, func(p *Params, _ *Options) {
			p.Metric = []string{"pair_agreement"}
		}, ""},
		"own metric": {[2]bool{false, true}, func(_ *Params, o *Options) {
			o.Metrics = []metric.Metric{ownMetric{metric.NDCG(metric.Default(), 3)}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, o := smallParams(), Options{}
			c.change(&p, &o)
			data := binned(t, &p, randomTable(1, 60), randomTable(2, 60))
			for i, paired := range c.paired {
				if paired {
					data[i].Meta.Pairs = []dataset.Pair{{Better: 0, Worse: 1, Weight: 1}}
				}
			}
			_, err := Train(t.Context(), p, data[0], data[1:], o)
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}
