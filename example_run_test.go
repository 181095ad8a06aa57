package lambdamart_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/lambdamart/lambdamart"
)

// Stop a run by a custom rule: as soon as twenty trees have raised the metric by less than 0.002. The
// program then uses the model of the best iteration.
func ExampleStart() {
	ctx := context.Background()
	p := lambdamart.DefaultParams()
	p.NumLeaves, p.Metric = 15, []string{"ndcg@5"}
	d, err := lambdamart.Load(ctx, p, trainFile, valiFile)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	run, err := lambdamart.Start(p, d)
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	var best, before float64
	for {
		round, err := run.Step(ctx)
		if errors.Is(err, io.EOF) { // after Params.NumIterations
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		best = max(best, round.Evaluations[0].Result.Mean)
		if round.Number%20 == 0 {
			if best < before+0.002 {
				break
			}
			before = best
		}
	}
	r, err := run.Result()
	if err != nil {
		log.Fatal(err)
	}
	m, err := run.Model(r.Best)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trees grown, %d kept, %s %.3f\n", r.Rounds, len(m.Trees), r.Watched, r.BestValue)
	// Output:
	// 80 trees grown, 42 kept, ndcg@5 on valid_1 0.637
}

// Show a live curve: a bar for every fifth tree.
func ExampleStart_liveCurve() {
	ctx := context.Background()
	p := lambdamart.DefaultParams()
	p.NumLeaves, p.NumIterations, p.Metric = 15, 25, []string{"ndcg@5"}
	d, err := lambdamart.Load(ctx, p, trainFile, valiFile)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	run, err := lambdamart.Start(p, d)
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	for {
		round, err := run.Step(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if value := round.Evaluations[0].Result.Mean; round.Number%5 == 0 {
			fmt.Printf("%3d %s %.3f\n", round.Number, strings.Repeat("=", int(value*50)), value)
		}
	}
	fmt.Println(run.Reason())
	// Output:
	//   5 ============================ 0.568
	//  10 ============================= 0.599
	//  15 ============================= 0.593
	//  20 ============================= 0.596
	//  25 ============================= 0.592
	// all iterations done
}
