package letor_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/letor"
)

// exampleFile is a file of two queries.
func exampleFile() string {
	dir, err := os.MkdirTemp("", "letor")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "train.txt")
	text := "2 qid:10 1:3 2:0.5 # docid = A\n0 qid:10 2:0.25 # docid = B\n1 qid:11 1:7 # docid = C\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	return path
}

func ExampleOpen() {
	path := exampleFile()
	defer os.RemoveAll(filepath.Dir(path))
	file, err := letor.Open(path, letor.Options{})
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
	fmt.Println(meta.NumRows(), "rows,", len(meta.Queries), "queries, sum", sum)
	// Output: 3 rows, 2 queries, sum 10.75
}

func ExampleOpen_stream() {
	path := exampleFile()
	defer os.RemoveAll(filepath.Dir(path))
	file, err := letor.Open(path, letor.Options{KeepDocs: true, Once: true})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()

	score := func(_ int, b *dataset.Block) error { // in parallel
		for i := range b.Len() {
			for _, v := range b.Row(i).Value {
				b.Scores[i] += v
			}
		}
		return nil
	}
	print := func(b *dataset.Block) error { // in the order of the file
		for _, q := range b.Queries {
			for i := q.First - b.FirstRow; i < q.First-b.FirstRow+q.Len; i++ {
				fmt.Println(q.ID, b.Docs[i], b.Scores[i])
			}
		}
		return nil
	}
	if err := dataset.Stream(context.Background(), file, score, print); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 10 A 3.5
	// 10 B 0.25
	// 11 C 7
}
