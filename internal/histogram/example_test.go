package histogram_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
)

// sixDocuments returns two queries with three documents each. Feature 1 is missing in one document, and
// feature 2 is
// constant.
func sixDocuments() dataset.Columned {
	meta := dataset.Meta{
		Queries: []dataset.Query{{ID: "shoes", First: 0, Len: 3}, {ID: "hats", First: 3, Len: 3}},
		Labels:  []float64{2, 0, 1, 0, 1, 2},
	}
	source, err := dataset.NewDense(meta, []float64{
		0.5, 3, 7,
		2.5, 1, 7,
		1.5, math.NaN(), 7,
		2.5, 1, 7,
		1.5, 3, 7,
		0.5, 2, 7,
	})
	if err != nil {
		log.Fatal(err)
	}
	return source
}

// fewRows returns parameters for data of few rows: every value may have its own bin.
func fewRows() histogram.BinParams {
	return histogram.BinParams{MaxBin: 255, MinDataInBin: 1, SampleCount: 200_000, Missing: histogram.MissingNaN}
}

// Data in memory is read and binned. The matrix has no column for feature 2, which is constant.
func Example() {
	ctx, source := context.Background(), sixDocuments()
	sample, err := histogram.Read(ctx, source, fewRows()) // finds the bins
	if err != nil {
		log.Fatal(err)
	}
	matrix, err := sample.Bin(ctx, source) // bins the rows
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("features of the columns:", matrix.Columns)
	for row := range int32(matrix.NumRows()) {
		fmt.Println("row", row, "has bins", matrix.At(row, 0), matrix.At(row, 1))
	}
	// Output:
	// features of the columns: [0 1]
	// row 0 has bins 1 3
	// row 1 has bins 3 1
	// row 2 has bins 2 4
	// row 3 has bins 3 1
	// row 4 has bins 2 3
	// row 5 has bins 1 2
}

// Make bins from known bounds. A value equal to a bound is in the bin below it.
func ExampleNewFeatureBins() {
	f, err := histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: []float64{0.25, 0.5, math.Inf(1)},
		Max: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Bin(0.25), f.Bin(0.3), f.Bin(1e9))
	// Output:
	// 0 1 2
}
