package data_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// files makes a folder with training data as LETOR text and a validation set as a table.
func files() (dir string) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range map[string]string{
		"train.txt": "2 qid:10 1:3 2:0.5\n0 qid:10 2:0.25\n1 qid:11 1:7\n0 qid:11 1:2 2:0.75\n",
		"vali.csv":  "grade,Column_0,Column_1,Column_2\n1,0,3,0.5\n0,0,1,0.25\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	// The table has no query column. Its companion file has the number of rows of each query instead.
	if err := os.WriteFile(filepath.Join(dir, "vali.csv.query"), []byte("2\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	return dir
}

func ExampleOpen() {
	dir := files()
	defer os.RemoveAll(dir)
	file, err := data.Open(filepath.Join(dir, "vali.csv"),
		data.Options{Layout: data.Layout{Label: "name:grade"}})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()

	sums := make([]float64, file.Workers()) // each worker adds to its own
	meta, err := dataset.Scan(context.Background(), file, nil, func(worker int, row dataset.Row) error {
		for _, v := range row.Value {
			sums[worker] += v
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	fmt.Println(meta.NumRows(), "rows of features", meta.Features, "sum", sum)
	// Output: 2 rows of features [Column_0 Column_1 Column_2] sum 4.75
}

func ExampleLoad() {
	dir := files()
	defer os.RemoveAll(dir)
	p := booster.DefaultParams()
	p.MinDataInBin = 1
	o := data.LoadOptions{Layout: data.Layout{Label: "name:grade"}}
	all, err := data.Load(context.Background(), p.BinParams(), o,
		data.Input{Path: filepath.Join(dir, "train.txt")},
		data.Input{Path: filepath.Join(dir, "vali.csv")})
	if err != nil {
		log.Fatal(err)
	}
	defer all.Close()
	for _, s := range append([]*data.Set{all.Training}, all.Validation...) {
		fmt.Println(s.Name, s.Meta.NumRows(), "rows,", len(s.Bins.Columns), "features that can split")
		for _, r := range s.Remarks {
			fmt.Println(r.Text)
		}
	}
	// Output:
	// training 4 rows, 2 features that can split
	// valid_1 2 rows, 2 features that can split
}

// Load training data and a validation set from memory.
func ExampleLoad_memory() {
	train, err := dataset.FromRows([][]float64{{3, 0.5}, {0, 0.25}, {7, 0}, {2, 0.75}}, []float64{2, 0, 1, 0},
		[]int{2, 2})
	if err != nil {
		log.Fatal(err)
	}
	vali, err := dataset.FromRows([][]float64{{3, 0.5}, {1, 0.25}}, []float64{1, 0}, []int{2})
	if err != nil {
		log.Fatal(err)
	}
	p := booster.DefaultParams()
	p.MinDataInBin = 1
	all, err := data.Load(context.Background(), p.BinParams(), data.LoadOptions{}, data.Input{Source: train},
		data.Input{Source: vali})
	if err != nil {
		log.Fatal(err)
	}
	defer all.Close()
	fmt.Println(all.Training.Bins.NumRows(), "rows to train on,", all.Validation[0].Bins.NumRows(),
		"to validate on")
	// Output: 4 rows to train on, 2 to validate on
}
