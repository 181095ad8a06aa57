package study

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// BenchResult holds the findings of an experiment, as text, TSV, JSON and a page.
type BenchResult struct {
	document

	Data    string   // name of the folder
	Metric  string   // metric that chooses iterations and compares rankers
	Metrics []string // Metric, and nDCG by cut-off
	Rules   string   // the convention of Metric in words
	Level   float64
	Seeds   int
	Splits  []Split
	Rankers []RankerSummary // in descending order of the mean
	Pairs   []evaluate.Pair // of all, by their indexes in Rankers, in their order
	Failed  []error

	runs    []*rankerRun // by ranker, fold and seed
	queries [][]string   // id and split of each test query
	weights []float64    // of the queries
}

// RankerSummary holds the results of a ranker. Its values are means over seeds, and over all folds together.
type RankerSummary struct {
	Ranker string
	Kind   string
	Place  int      // index in the list of the experiment's rankers
	Set    []string // settings as given

	Mean      float64 // over the queries that count, with their weights
	Interval  metric.Interval
	SeedSD    float64 // standard deviation of the mean over seeds; NaN for one seed
	FoldMeans []float64

	TrainSeconds float64 // of a training run, on average
	ScoreMicros  float64 // per document
	ModelBytes   float64
	Kept         float64 // mean number of iterations that models keep

	Means   []float64      // of the metric that compares, then of nDCG by cut-off ([BenchResult].Metrics)
	Against *evaluate.Pair // comparison with the best ranker; nil for the best ranker itself

	values []float64 // of the metric that compares, by query
}

// summarize averages over seeds, and compares the rankers.
func (e *experiment) summarize(ctx context.Context, jobs []job, failed []error) (*BenchResult, error) {
	first := e.metrics[0]
	data, err := filepath.Abs(e.options.Data)
	if err != nil {
		return nil, err
	}
	s := &BenchResult{Data: filepath.Base(data), Metric: first.Name(), Rules: metric.Rules(first),
		Level: e.options.Tests.Level, Seeds: e.options.Seeds, Failed: failed}
	for _, m := range e.metrics {
		s.Metrics = append(s.Metrics, m.Name())
	}
	for r := range e.rankers {
		folds, complete := e.runsOf(&e.rankers[r], jobs)
		if !complete {
			continue
		}
		if s.Splits == nil {
			s.addFolds(e.splits, folds)
		}
		s.Rankers = append(s.Rankers, e.summarizeRanker(r, folds, s.weights))
		s.runs = slices.Concat(s.runs, slices.Concat(folds...))
	}
	slices.SortStableFunc(s.Rankers, func(a, b RankerSummary) int { return cmp.Compare(b.Mean, a.Mean) })
	if err := s.compare(ctx, e.options.Tests); err != nil {
		return nil, err
	}
	if len(s.Rankers) > 0 {
		s.describe()
	}
	return s, nil
}

// runsOf returns the runs of a ranker on each fold, by seed. complete is false if one is missing.
func (e *experiment) runsOf(ranker *benchRanker, jobs []job) (folds [][]*rankerRun, complete bool) {
	folds = make([][]*rankerRun, len(e.splits))
	for _, j := range jobs {
		if j.ranker != ranker {
			continue
		}
		if j.run == nil {
			return nil, false
		}
		folds[j.split] = append(folds[j.split], j.run)
	}
	return folds, true
}

func (s *BenchResult) addFolds(splits []Split, folds [][]*rankerRun) {
	for i, split := range splits {
		r := folds[i][0]
		split.Queries, split.Documents, split.Leaked = len(r.Queries), r.Documents, r.Leaked
		s.Splits = append(s.Splits, split)
		for _, id := range r.Queries {
			s.queries = append(s.queries, []string{id, split.Name})
		}
		s.weights = append(s.weights, queryWeights(r.Weights, len(r.Queries))...)
	}
}

// sample returns the values of a ranker, with the weights of the queries.
func (s *BenchResult) sample(r *RankerSummary) metric.Sample {
	return metric.NewSample(r.values, s.weights)
}

func (e *experiment) summarizeRanker(place int, folds [][]*rankerRun, weights []float64) RankerSummary {
	ranker := &e.rankers[place]
	r := RankerSummary{Ranker: ranker.Name, Kind: ranker.Kind, Place: place, Set: ranker.set}
	n, bySeed := float64(len(folds)*e.options.Seeds), make([][]float64, e.options.Seeds)
	for _, results := range folds {
		values := meanOverSeeds(results, 0)
		r.values = append(r.values, values...)
		r.FoldMeans = append(r.FoldMeans, meanOf(values, queryWeights(results[0].Weights, len(values))))
		for seed, result := range results {
			bySeed[seed] = append(bySeed[seed], result.Judged[0].Values...)
			r.TrainSeconds, r.ScoreMicros = r.TrainSeconds+result.TrainSeconds, r.ScoreMicros+result.ScoreMicros
			r.ModelBytes, r.Kept = r.ModelBytes+float64(result.ModelBytes), r.Kept+float64(result.Kept)
		}
	}
	r.TrainSeconds, r.ScoreMicros = r.TrainSeconds/n, r.ScoreMicros/n
	r.ModelBytes, r.Kept = r.ModelBytes/n, r.Kept/n
	sample := metric.SampleOf(e.metrics[0], r.values, weights)
	r.Mean, r.Interval = sample.Mean(), sample.Interval(e.options.Tests)
	var means []float64
	for _, values := range bySeed {
		means = append(means, meanOf(values, weights))
	}
	r.SeedSD = deviation(means)
	for m := range e.metrics {
		var values []float64
		for _, results := range folds {
			values = append(values, meanOverSeeds(results, m)...)
		}
		r.Means = append(r.Means, meanOf(values, weights))
	}
	return r
}

// meanOverSeeds returns the mean of a metric over seeds, for each query.
func meanOverSeeds(results []*rankerRun, metric int) []float64 {
	values := make([]float64, len(results[0].Queries))
	for _, r := range results {
		for q, v := range r.Judged[metric].Values {
			values[q] += v
		}
	}
	for q := range values {
		values[q] /= float64(len(results))
	}
	return values
}

// meanOf returns the mean over the queries that count, or NaN if there are none.
func meanOf(values, weights []float64) float64 { return metric.NewSample(values, weights).Mean() }

// compare tests all pairs of rankers.
//
// The table shows only pairs with the best ranker, which was found on the same queries. If the correction
// were for these pairs only, the best of seven equal rankers would seem to differ from another one in 12.6 %
// of experiments. Choosing the reference by validation queries does not help, because with folds they are the
// test queries of other folds and so not independent.
func (s *BenchResult) compare(ctx context.Context, o metric.TestOptions) error {
	if len(s.Rankers) < 2 {
		return nil
	}
	if n := len(s.sample(&s.Rankers[0]).Values); n < 2 {
		return fmt.Errorf("%s count: two are needed to compare rankers", wording.Count(n, "test query"))
	}
	for i := range s.Rankers {
		for j := i + 1; j < len(s.Rankers); j++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c, err := metric.Compare(s.Rankers[i].values, s.Rankers[j].values, s.weights, o)
			if err != nil {
				return err
			}
			s.Pairs = append(s.Pairs, evaluate.Pair{A: i, B: j, Comparison: c})
		}
	}
	for j := 1; j < len(s.Rankers); j++ {
		s.Rankers[j].Against = &s.Pairs[j-1]
	}
	evaluate.Correct(&evaluate.Comparison{Pairs: s.Pairs})
	return nil
}
