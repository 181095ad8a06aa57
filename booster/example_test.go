package booster_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// matrix draws queries of 10 documents with 3 features in memory. A document's grade is 0, 1 or 2 and
// grows with the first feature.
func matrix(seed uint64, queries int) dataset.Columned {
	rng := rand.New(rand.NewPCG(seed, 0))
	var meta dataset.Meta
	var values []float64
	for number := range queries {
		meta.Queries = append(meta.Queries, dataset.Query{ID: fmt.Sprint(number), First: 10 * number, Len: 10})
		for range 10 {
			x := rng.Float64()
			values = append(values, x, rng.Float64(), rng.Float64())
			meta.Labels = append(meta.Labels, float64(int(3*x)))
		}
	}
	d, err := dataset.NewDense(meta, values)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// binned bins training and validation data with the same bins.
func binned(ctx context.Context, p booster.Params, train, valid dataset.Source) (booster.Data, booster.Data) {
	loaded, err := data.Load(ctx, p.BinParams(), data.LoadOptions{}, data.Input{Source: train},
		data.Input{Source: valid})
	if err != nil {
		log.Fatal(err)
	}
	t, v := loaded.Training, loaded.Validation[0]
	return booster.Data{Name: "train", Meta: t.Meta, Values: t.Bins},
		booster.Data{Name: "valid", Meta: v.Meta, Values: v.Bins}
}

// Train on a matrix in memory, stop early by nDCG@5 on other queries, and score two documents.
func ExampleTrain() {
	ctx := context.Background()
	p := booster.DefaultParams()
	p.NumLeaves, p.Patience, p.StopMetric = 15, 10, "ndcg@5"
	train, valid := binned(ctx, p, matrix(1, 200), matrix(2, 50))

	r, err := booster.Train(ctx, p, train, []booster.Data{valid}, booster.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Stopped, "by", r.Watched)

	scores := make([]float64, 2)
	err = r.Model.Score(scores, []float64{
		0.9, 0.5, 0.5, // a good document
		0.1, 0.5, 0.5, // a bad one
	})
	fmt.Println("the good document has the higher score:", scores[0] > scores[1], err)
	// Output:
	// stopped early by ndcg@5 on valid
	// the good document has the higher score: true <nil>
}
