package study_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// mslr is a folder with training, validation and test data.
const mslr = "../testdata/mslr-small"

// quick returns loaded data, and parameters for training runs that are done in a moment.
func quick(validation ...string) (context.Context, lambdamart.Params, *data.Loaded) {
	ctx, p := context.Background(), lambdamart.DefaultParams()
	p.NumLeaves, p.NumIterations, p.Patience, p.StopMetric = 15, 40, 10, "ndcg@10"
	d, err := lambdamart.Load(ctx, p, filepath.Join(mslr, "train.txt.gz"), validation...)
	if err != nil {
		log.Fatal(err)
	}
	return ctx, p, d
}

// Find the best number of iterations by cross-validation, and train on all data.
func ExampleCrossValidate() {
	ctx, p, d := quick()
	folds, err := study.DrawFolds(d.Training.Meta, 3, 0)
	if err != nil {
		log.Fatal(err)
	}
	r, err := study.CrossValidate(ctx, p.Params, study.On(d, folds), study.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %.3f after %d iterations\n", r.Metric, r.Mean, r.Best)
	p.Params = r.Final(p.Params)
	final, err := lambdamart.Train(ctx, p, d)
	fmt.Println(len(final.Model.Trees), "trees", err)
	// Output:
	// ndcg@10 0.687 after 40 iterations
	// 40 trees <nil>
}

// Search for parameters, judged by a validation set.
func ExampleTune() {
	ctx, p, d := quick(filepath.Join(mslr, "vali.txt.gz"))
	r, err := study.Tune(ctx, p.Params, study.On(d, study.Folds{}), study.TuneOptions{Trials: 6})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.NewReplacer("; ", "\n", ": ", ":\n").Replace(r.Finding))
	p.Params = r.Params()
	final, err := lambdamart.Train(ctx, p, d)
	fmt.Println(len(final.Model.Trees), "trees", err)
	// Output:
	// The defaults have ndcg@10 0.6737 after 2 iterations
	// the mean of the models of trials 1 to 4 has 0.6977 (+0.0239):
	// not proven on 20 queries:
	// interval -0.0606 to +0.1085, p = 0.5278
	// the mean of the models of trials 1 to 4 is the better choice.
	// 68 trees <nil>
}

// Find the features that the model needs.
func ExampleSelect() {
	ctx, p, d := quick(filepath.Join(mslr, "vali.txt.gz"))
	r, err := study.Select(ctx, p.Params, study.On(d, study.Folds{}), study.SelectOptions{Number: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(r.Finding, ", ", ",\n"))
	fmt.Println(r.Features()[:3])
	// Output:
	// All 136 features that vary have ndcg@10 0.6737; the 10 chosen ones have 0.6919 (+0.0182,
	// 95 % interval -0.0347 to +0.0711) on the validation queries,
	// which have chosen them.
	// [Column_8 Column_76 Column_88]
}

// Find out whether more judged queries would improve the ranker.
func ExampleCurve() {
	ctx, p, d := quick(filepath.Join(mslr, "vali.txt.gz"))
	shares := study.CurveOptions{Shares: []float64{0.2, 0.5, 1}}
	r, err := study.Curve(ctx, p.Params, study.On(d, study.Folds{}), shares)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range r.Shares {
		fmt.Printf("%.0f queries: %.3f\n", s.Queries, s.Value)
	}
	// Output:
	// 15 queries: 0.670
	// 27 queries: 0.674
	// 60 queries: 0.674
}

// Compare several rankers on test queries, with several seeds.
func ExampleBench() {
	o := study.DefaultBenchOptions(mslr, "lambdamart", "lambdamart-auto")
	o.Seeds, o.General = 1, []param.Setting{{Name: "num_iterations", Value: "20"}}
	s, err := study.Bench(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range s.Rankers {
		fmt.Printf("%s %.3f\n", r.Ranker, r.Mean)
	}
	// Output:
	// lambdamart-auto 0.744
	// lambdamart 0.694
}
