package booster

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// checkNames returns an error for names of features that a model file cannot hold.
func checkNames(names []string) error {
	for f, name := range names {
		if fits := wording.FeatureName(name); name == "" || fits != name {
			return fmt.Errorf("feature %d has the name %q, and names in models have at least one character, no "+
				"blanks and no control characters; replace each of them, as with _", f, name)
		}
	}
	return nil
}

// checkBins returns an error for validation data that was binned by another mapper than the training data,
// and for more bins than an int32 can count.
func checkBins(train Data, valid []Data) error {
	if _, bins := train.Values.Mapper.Size(); bins > math.MaxInt32 {
		return fmt.Errorf("the features have %s in all, and %s is the most; bin the data with a smaller "+
			"max_bin", wording.Count(bins, "bin"), wording.Thousands(math.MaxInt32))
	}
	for _, d := range valid {
		if d.Values.Mapper != train.Values.Mapper {
			return fmt.Errorf("data %q: binned by another mapper than the training data", d.Name)
		}
	}
	return nil
}

// checkContext returns an error if p asks for query context that the training data does not have.
func checkContext(p *Params, train *dataset.Meta) error {
	if len(p.QueryContext) > 0 && train.Context == nil {
		return fmt.Errorf("query_context=%s: %w", strings.Join(p.QueryContext, ","), ErrContext)
	}
	return nil
}

// checkActive returns an [ErrNoSplit] if active_fraction leaves less than the two rows that a split needs.
func checkActive(p *Params, train *dataset.Meta) error {
	rows := train.AllRows()
	if a := p.ActiveFraction; a != AutoActive && a < 1 && a*float64(rows) < 2 {
		return &noSplitError{"active_fraction", fmt.Sprintf("%g of %s are less than two; make it larger",
			a, wording.Count(rows, "row"))}
	}
	return nil
}

// checkCategories returns an error for bins that lack the categorical features that p asks for.
func checkCategories(p *Params, train Data) error {
	asked, err := histogram.CategoricalFeatures(p.CategoricalFeature, train.Meta.Features)
	if err != nil {
		return err
	}
	for _, f := range asked {
		if bins := &train.Values.Mapper.Features[f]; !bins.IsCategorical() {
			return fmt.Errorf("categorical_feature=%s: the bins of feature %s are those of numbers; bin the data "+
				"with the same categorical_feature", p.CategoricalFeature, train.Meta.Features[f])
		}
	}
	return nil
}

// checkConstraints returns an error for constraints that no weight of an objective can meet. own means that
// the objective is the caller's.
func checkConstraints(p *Params, m *dataset.Meta, own bool) error {
	all, err := rounds.Constraints(&p.Params)
	switch {
	case err != nil || all == nil:
		return err
	case own:
		return errors.New("constraint: an objective of your own has no weights that could change; leave " +
			"constraint out")
	}
	first := func(label string) string {
		if label == m.LabelName {
			return ""
		}
		return label
	}
	read := map[string]bool{}
	for _, label := range objective.Labels(p.Objective) {
		read[first(label)] = true
	}
	for _, c := range all {
		if _, err := m.LabelsOf(c.Label); err != nil {
			return fmt.Errorf("constraint=%v: %w", c, err)
		}
		if !read[first(c.Label)] || len(read) < 2 {
			return fmt.Errorf("constraint=%v: objective=%s is not a sum that trains on its label and on another "+
				"one; give a sum, such as lambdarank@purchase:1,lambdarank@click:0.1, in which the weights of a label "+
				"can rise", c, p.Objective)
		}
	}
	return nil
}

// checkPairs returns an error for pairs of documents that neither the objective nor a metric reads. The
// caller's own objective and metrics may read them.
func checkPairs(p *Params, o Options, train Data, valid []Data, metrics []metric.Metric) error {
	judged := len(o.Metrics) > 0 || slices.ContainsFunc(metrics, metric.ReadsPairs)
	learned := o.Objective != nil || objective.ReadsPairs(p.Objective)
	if train.Meta.Pairs != nil && !learned && !(judged && p.IsTrainingMetric) {
		return fmt.Errorf("%s has pairs of documents, which objective=%s does not read; use objective=pairs, or a "+
			"sum such as pairs:1,lambdarank:0.5", train.Name, p.Objective)
	}
	for _, d := range valid {
		if d.Meta.Pairs != nil && !judged {
			return fmt.Errorf("%s has pairs of documents, which no metric reads; add metric=pair_agreement", d.Name)
		}
	}
	return nil
}

// ErrPeers is wrapped by errors about features that a single process supports, but several peers do not.
var ErrPeers = errors.New("several peers cannot train with that")

// checkPeers returns an error for an objective or a metric that does not support several peers.
func checkPeers(train Data, obj objective.Objective, metrics []metric.Metric) error {
	if train.Meta.Part.Group().Size() == 1 {
		return nil
	}
	for _, m := range metrics {
		if _, whole := m.(metric.Whole); whole {
			return fmt.Errorf("metric %s, which judges all queries at once: %w; it must judge single queries",
				m.Name(), ErrPeers)
		}
	}
	if _, whole := obj.(objective.Whole); whole {
		return fmt.Errorf("objective %s, which computes the gradients of all queries at once: %w; it must be "+
			"one of single queries", obj.Name(), ErrPeers)
	}
	return nil
}

// checkSame returns an error unless all peers have the same parameters and bins.
func checkSame(t *trainer) error {
	if t.train.Meta.Part.Group().Size() == 1 {
		return nil
	}
	var s fingerprint.Sum
	for i, f := range t.Facts() {
		s.Text(2*i, f.Name)
		s.Text(2*i+1, f.Value)
	}
	numbers, bounds, _ := t.train.Values.Rows(0, 0).Fingerprint(0, 1)
	s.Text(-1, numbers+bounds)
	if !t.train.Meta.Part.Group().Same([]int64{int64(s[0]), int64(s[1]), int64(len(t.valid))}) {
		return fmt.Errorf("parameters or bins that differ between peers: %w; start all with the same "+
			"command line, configuration file and data", ErrPeers)
	}
	return nil
}

// weightError means that the weight of one row is so much larger than most others that the gradients of the
// other rows would be rounded to zero.
type weightError struct {
	Place          string // of the row
	Weight, Median float64
}

func (e *weightError) Error() string {
	return fmt.Sprintf("the weight %.4g of %s is %.4g times the median weight of %.4g: more than "+
		"2^34 times, the gradients of other rows vanish; make it smaller, or set the others to 0",
		e.Weight, e.Place, e.Weight/e.Median, e.Median)
}

// maxWeightRatio is about the largest ratio of two weights at which a model still learns from both rows:
// packed sums have 30 bits (package binsum), and a heavy row's own gradient shrinks as it is fitted. From
// about 2^40 on, there is no tree.
const maxWeightRatio = 1 << 34

// checkWeights returns [dataset.ErrWeightSum] for weights whose sum is infinite, and a [*weightError] for the
// largest weight if it is more than maxWeightRatio times the median of all nonzero weights. A few weights
// near zero are allowed, because their rows do not matter.
//
// If peers share the data, the largest weight and the median are those of all peers. Only the peer that has
// the row with the largest weight returns the error.
func checkWeights(data *dataset.Meta) error {
	g := data.Part.Group()
	if !g.Any(len(data.Weights) > 0) {
		return nil
	}
	bounds := []float64{0, math.Inf(-1), 0} // the largest weight, minus the smallest, and the sum of a part
	for _, w := range data.Weights {
		bounds[2] += w
		if bounds[0] = max(bounds[0], w); w > 0 {
			bounds[1] = max(bounds[1], -w)
		}
	}
	g.MaxFloats(bounds)
	if math.IsInf(bounds[2], 1) {
		return dataset.ErrWeightSum
	}
	largest, smallest := bounds[0], -bounds[1]
	if largest == 0 || largest/maxWeightRatio <= smallest { // the usual case, which needs no median
		return nil
	}
	median := medianOf(data.Weights, data.Part)
	if at := slices.Index(data.Weights, largest); at >= 0 && largest/maxWeightRatio > median {
		return &weightError{data.Place(at), largest, median}
	}
	return nil
}

// medianOf returns the median of the weights of all peers that are not zero. It finds one bit after the other
// by counting weights, so that peers need no memory for those of all rows.
func medianOf(weights []float64, part *dataset.Part) float64 {
	upTo := func(most uint64) int { // bits of positive numbers ascend with them
		count := 0
		for _, w := range weights {
			if w > 0 && math.Float64bits(w) <= most {
				count++
			}
		}
		return part.Group().SumOf(count)
	}
	median, half := uint64(0), upTo(math.MaxUint64)/2
	for bit := uint64(1) << 62; bit > 0; bit >>= 1 {
		if upTo(median+bit-1) <= half {
			median += bit
		}
	}
	return math.Float64frombits(median)
}

// ErrContext means that parameters ask for query context, but the data was loaded without it.
var ErrContext = errors.New("the data was loaded without query context; load it with the same parameters, " +
	"by lambdamart.Load or lambdamart.Bin")
