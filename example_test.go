package lambdamart_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// A small data set for examples: queries from MSLR-WEB10K.
const (
	trainFile = "testdata/mslr-small/train.txt.gz"
	valiFile  = "testdata/mslr-small/vali.txt.gz"
	testFile  = "testdata/mslr-small/test.txt.gz"
)

// A whole program: train on one file, stop early by another, and write a model that LightGBM loads, too.
func Example() {
	ctx := context.Background()
	p := lambdamart.DefaultParams()
	p.NumLeaves, p.Patience = 15, 20
	d, err := lambdamart.Load(ctx, p, trainFile, valiFile) // both files are binned with the same bins
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	r, err := lambdamart.Train(ctx, p, d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trees, %s %.3f\n", len(r.Model.Trees), r.Watched, r.BestValue)

	path := filepath.Join(os.TempDir(), "lambdamart-example.txt")
	defer os.Remove(path)
	if err := lambdamart.WriteModel(path, r.Model); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 42 trees, ndcg@5 on valid_1 0.637
}

// Read a model that LightGBM trained, and score the documents of a query.
func ExampleReadModel() {
	m, err := lambdamart.ReadModel("io/model/internal/lightgbm/testdata/lambdarank.txt") // trees or a network
	if err != nil {
		log.Fatal(err)
	}
	fast, err := lambdamart.Compile(m) // once, before scoring many queries
	if err != nil {
		log.Fatal(err)
	}
	documents := [][]float64{ // of one query; each has a value for each of m.FeatureNames
		{0.3, -1.2, 3, 0.1, 5, 0},
		{-0.9, 0.4, -6, 1.7, 0, 0},
	}
	scores, err := lambdamart.ScoreRows(fast, documents)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("scores %.4f\n", scores)
	if trees, ok := m.(*tree.Ensemble); ok {
		fmt.Println(len(trees.Trees), "trees for", trees.Objective)
	}
	// Output:
	// scores [0.2928 -0.5921]
	// 6 trees for lambdarank
}

// Score the rows of a file.
func ExampleScore() {
	ctx := context.Background()
	m := quickModel(ctx) // 20 trees
	scores, summary, err := lambdamart.Score(ctx, m, testFile, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d scores; the first is %.2f\n", len(scores), scores[0])
	warnings, _ := summary.Remarks()
	for _, sentence := range warnings {
		fmt.Println("warning:", sentence)
	}
	// Output:
	// 642 scores; the first is 0.66
}

// Evaluate a model under two conventions: the same scores have different nDCG.
func ExampleEvaluate() {
	ctx := context.Background()
	m := quickModel(ctx) // 20 trees
	j, err := lambdamart.Evaluate(ctx, m, testFile, data.Options{},
		metric.NDCG(metric.LightGBM(), 10), metric.NDCG(metric.SKLearn(), 10))
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range j.Results {
		fmt.Printf("%s %.4f\n  %v\n", r.Metric, r.Mean, r.Rules)
	}
	// Output:
	// ndcg@10 0.6937
	//   lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order
	// ndcg@10 0.7259
	//   sklearn: linear gain, log2 discount, empty query = 0, ties averaged
}

// Compare two models query by query.
func ExampleCompare() {
	ctx := context.Background()
	m := quickModel(ctx) // 20 trees
	ndcg := metric.NDCG(metric.Default(), 10)
	few, err := lambdamart.Evaluate(ctx, m.Part(0, 1), testFile, data.Options{}, ndcg)
	if err != nil {
		log.Fatal(err)
	}
	all, err := lambdamart.Evaluate(ctx, m, testFile, data.Options{}, ndcg)
	if err != nil {
		log.Fatal(err)
	}
	few.System, all.System = "1 tree", "20 trees"
	c, err := lambdamart.Compare(few, all)
	if err != nil {
		log.Fatal(err)
	}
	p := c.Pairs[0]
	fmt.Printf("%s against %s: %+.3f, wins %d, losses %d, p = %.2f\n",
		c.Systems[p.B], c.Systems[p.A], p.Difference, p.Wins, p.Loses, p.StudentT.P)
	// Output:
	// 20 trees against 1 tree: +0.039, wins 11, losses 9, p = 0.18
}

// Write a model for Solr. The file is checked against the model before it is written.
func ExampleExport() {
	path := filepath.Join(os.TempDir(), "lambdamart-example.json")
	defer os.Remove(path)
	m := quickModel(context.Background()) // 20 trees
	x, err := lambdamart.Export(path, m, "solr", model.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(x.Model.Trees), "trees")
	for _, note := range x.Notes {
		fmt.Println("note:", strings.NewReplacer(": ", ":\n", "; ", "\n").Replace(note))
	}
	// Output:
	// 20 trees
	// note: Solr adds 1e-6 to thresholds, which cannot be made up for at 3 of them:
	// float32 values just beside these go the other way
	// the widest gap is that of "Column_135", above 0 up to 1e-35
}

// Train a neural ranker on the same data, and evaluate it with the same metric.
func ExampleTrainNetwork() {
	ctx := context.Background()
	p := lambdamart.DefaultNetworkParams()
	p.HiddenLayers, p.Epochs, p.Patience = []int{16}, 10, 3
	d, err := lambdamart.LoadNetworkData(ctx, p, trainFile, valiFile)
	if err != nil {
		log.Fatal(err)
	}
	r, err := lambdamart.TrainNetwork(ctx, p, d)
	if err != nil {
		log.Fatal(err)
	}
	j, err := lambdamart.Evaluate(ctx, r.Model, testFile, data.Options{}, metric.NDCG(metric.Default(), 5))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s with layers %v: %s %.1f\n", r.Model.Ranker(), r.Model.Layers(), j.Results[0].Metric,
		j.Results[0].Mean)
	// Output:
	// listnet with layers [137 16 1]: ndcg@5 0.7
}

// quickModel returns a model of 20 trees.
func quickModel(ctx context.Context) *tree.Ensemble {
	p := lambdamart.DefaultParams()
	p.NumIterations = 20
	d, err := lambdamart.Load(ctx, p, trainFile)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	r, err := lambdamart.Train(ctx, p, d)
	if err != nil {
		log.Fatal(err)
	}
	return r.Model
}
