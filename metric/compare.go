package metric

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// TestOptions are the parameters of the tests and intervals. Begin with [DefaultTestOptions].
type TestOptions struct {
	Level     float64 // confidence level of the interval, in (0, 1)
	Resamples int     // number of resamples of the bootstrap, at least 2
	// number of random exchanges of the randomization test, if there are too many exchanges to try all
	Trials  int
	Seed    uint64
	Workers int // number of goroutines, GOMAXPROCS if < 1; results do not depend on it
}

// DefaultTestOptions returns options for a 95 % interval from 10,000 resamples and for 100,000 trials.
func DefaultTestOptions() TestOptions {
	return TestOptions{Level: 0.95, Resamples: 10_000, Trials: 100_000, Seed: 1}
}

// Validate returns an error for the first field that is out of its range, nil if there is none.
func (o TestOptions) Validate() error {
	switch {
	case !(o.Level > 0 && o.Level < 1):
		return fmt.Errorf("level %v of the interval: want a number between 0 and 1", o.Level)
	case o.Resamples < 2:
		return fmt.Errorf("%d resamples: want at least 2, and a thousand or more for an interval "+
			"that can be relied on", o.Resamples)
	case o.Trials < 1:
		return fmt.Errorf("%s: want at least 1", wording.Count(o.Trials, "trial"))
	}
	return nil
}

// Test is the result of a test.
type Test struct {
	Statistic float64
	P         float64 // two-sided probability of a difference at least this large by chance
}

// Alpha is the probability below which a difference is called proven.
const Alpha = 0.05

// Comparison is the comparison of ranker b with ranker a.
type Comparison struct {
	Queries            int     // number of queries that count, and on which both were judged
	Effective          float64 // number of queries of equal weight with the same precision ([Sample])
	Weighted           bool    // whether queries have different weights; Wilcoxon has NaN then
	MeanA, MeanB       float64
	Difference         float64  // MeanB - MeanA
	StandardError      float64  // of Difference
	Interval           Interval // of Difference
	Wins, Equal, Loses int      // queries in which b is better, the same, worse, regardless of weights
	Effect             float64  // Cohen's d of paired values: t over the root of Effective
	StudentT           Test
	Wilcoxon           Test
	Randomization      Test
}

// Compare compares the values a and b of two rankers, one value per query, in the same order of queries. A
// query that was left out of the mean is NaN in both, and is left out here too, as is one whose weight is 0.
// weights has one entry per query, or is nil if all are equal ([Sample]). Differences are rounded to
// multiples of 2^-40, because smaller ones are rounding errors of the values. Compare returns an error for
// options out of range, if a and b are not of the same queries, and if fewer than two queries were judged.
func Compare(a, b, weights []float64, o TestOptions) (Comparison, error) {
	if err := o.Validate(); err != nil {
		return Comparison{}, err
	}
	d, err := Differences(a, b, weights)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Queries: len(d.Values), Effective: d.effective(), Weighted: d.Weights != nil,
		MeanA: NewSample(a, weights).Mean(), Difference: d.Mean(),
		StandardError: d.StandardError(), Interval: d.Interval(o),
		StudentT: d.studentT(), Wilcoxon: d.wilcoxon(), Randomization: d.randomization(o)}
	c.MeanB = c.MeanA + c.Difference
	if c.Difference != 0 {
		c.Effect = c.StudentT.Statistic / math.Sqrt(c.Effective)
	}
	for _, x := range d.Values {
		switch {
		case x > 0:
			c.Wins++
		case x < 0:
			c.Loses++
		default:
			c.Equal++
		}
	}
	return c, nil
}

// Remark returns a remark on the comparison for the user: see [Sample.Remark].
func (c *Comparison) Remark() string { return remark(c.Queries, c.Effective) }

// Verdict returns the conclusion in words, given the p-value after all corrections. A large p-value does not
// show that the rankers are equal.
func (c *Comparison) Verdict(p float64) string {
	low, high := c.Interval.Low, c.Interval.High
	known := fmt.Sprintf("interval %+.4f to %+.4f, p = %s", low, high, wording.Probability(p))
	if p < Alpha {
		return "more than chance explains: " + known
	}
	return fmt.Sprintf("not proven on %s: %s", wording.Count(c.Queries, "query"), known)
}

// grain is the unit to which differences of values are rounded. Smaller differences are rounding
// errors of the values; they would break ties and count as wins.
const grain = 0x1p-40 // about 1e-12

// Differences returns b - a for the queries that count, rounded as by [Compare].
func Differences(a, b, weights []float64) (Sample, error) {
	if len(a) != len(b) || weights != nil && len(weights) != len(a) {
		return Sample{}, fmt.Errorf("%s against %d, and %s: "+
			"both rankers must be judged on the same queries", wording.Count(len(a), "value"), len(b),
			wording.Count(len(weights), "weight"))
	}
	d := make([]float64, len(a))
	for query := range a {
		if math.IsNaN(a[query]) != math.IsNaN(b[query]) {
			return Sample{}, fmt.Errorf("query %d, from 0, has a value for one ranker only", query)
		}
		d[query] = math.Round((b[query]-a[query])/grain) * grain
	}
	s := NewSample(d, weights)
	if len(s.Values) < 2 {
		return Sample{}, fmt.Errorf("%s judged: want at least 2",
			wording.Count(len(s.Values), "query"))
	}
	return s, nil
}
