package histogram_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
)

// sixDocuments is a source of two queries with three documents each. Feature 1 is missing in one
// document, and feature 2 is the same in all.
func sixDocuments() *dataset.Dense {
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

// fewRows are parameters for examples of few rows: every value may have a bin of its own.
func fewRows() histogram.BinParams {
	p := histogram.DefaultBinParams()
	p.MinDataInBin = 1
	return p
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

// The bins of a feature are ranges of values. As in LightGBM, the first one here is that of zero,
// which no row has, and the last one is for missing values.
func ExampleRead() {
	sample, err := histogram.Read(context.Background(), sixDocuments(), fewRows())
	if err != nil {
		log.Fatal(err)
	}
	for number := range sample.Mapper.Features {
		f := &sample.Mapper.Features[number]
		if f.Constant() {
			fmt.Println(sample.Meta.Features[number], "is constant")
			continue
		}
		fmt.Println(sample.Meta.Features[number], "has", f.NumBins(), "bins; missing:", f.Missing)
		for bin, bound := range f.UpperBounds {
			fmt.Printf("  bin %d: up to %.4g\n", bin, bound)
		}
		if f.Missing == histogram.MissingNaN {
			fmt.Printf("  bin %d: NaN\n", f.MissingBin())
		}
	}
	// Output:
	// Column_0 has 4 bins; missing: None
	//   bin 0: up to 1e-35
	//   bin 1: up to 1
	//   bin 2: up to 2
	//   bin 3: up to +Inf
	// Column_1 has 5 bins; missing: NaN
	//   bin 0: up to 1e-35
	//   bin 1: up to 1.5
	//   bin 2: up to 2.5
	//   bin 3: up to +Inf
	//   bin 4: NaN
	// Column_2 is constant
}

// Validation data gets the bins of the training data, including values that the training data does
// not have.
func ExampleMapper_Bin() {
	ctx := context.Background()
	sample, err := histogram.Read(ctx, sixDocuments(), fewRows())
	if err != nil {
		log.Fatal(err)
	}
	meta := dataset.Meta{Queries: []dataset.Query{{ID: "gloves", First: 0, Len: 2}}, Labels: []float64{1, 0}}
	validation, err := dataset.NewDense(meta, []float64{
		-4, math.NaN(), 7,
		99, 1.7, 8,
	})
	if err != nil {
		log.Fatal(err)
	}
	matrix, _, err := sample.Mapper.Bin(ctx, validation)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(matrix.At(0, 0), matrix.At(0, 1))
	fmt.Println(matrix.At(1, 0), matrix.At(1, 1))
	// Output:
	// 0 4
	// 3 2
}

// Bins can be made from bounds that are known already. A value equal to a bound lies below it.
func ExampleNewFeatureBins() {
	f, err := histogram.NewFeatureBins([]float64{0.25, 0.5, math.Inf(1)}, histogram.MissingNone, 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Bin(0.25), f.Bin(0.3), f.Bin(1e9), f.Range())
	// Output:
	// 0 1 2 [0:1]
}

// A loop over many rows takes their bytes, and reads the bins of a column by its field. It is right
// whether the column shares its byte or not.
func ExampleMatrix_Field() {
	ctx, source := context.Background(), sixDocuments()
	sample, err := histogram.Read(ctx, source, fewRows())
	if err != nil {
		log.Fatal(err)
	}
	matrix, err := sample.Bin(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	const feature = 1
	field := matrix.Field(matrix.Column(feature))
	counts := make([]int, sample.Mapper.Features[feature].NumBins())
	bytes, stride := matrix.Raw(), matrix.Stride()
	for at := int(field.At); at < len(bytes); at += stride {
		counts[field.Bin(bytes[at])]++
	}
	fmt.Println("rows in each bin:", counts)
	// Output:
	// rows in each bin: [0 2 1 2 1]
}

// A matrix can be stored as bytes and made again, without reading the data a second time. Package
// io/data/internal/binned does it with files.
func ExampleFromRaw() {
	ctx, source := context.Background(), sixDocuments()
	sample, err := histogram.Read(ctx, source, fewRows())
	if err != nil {
		log.Fatal(err)
	}
	matrix, err := sample.Bin(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	again, err := histogram.FromRaw(matrix.Mapper, matrix.NumRows(), matrix.NaNs(), matrix.Raw(), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.NumRows(), "rows; feature 1 was missing in", again.NaNs()[1])

	_, err = histogram.FromRaw(matrix.Mapper, 5, matrix.NaNs(), matrix.Raw(), 0)
	fmt.Println(err)
	// Output:
	// 6 rows; feature 1 was missing in 1
	// not bins: 48 bytes for 5 rows of 8 bytes
}
