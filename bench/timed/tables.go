//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/io/data"
)

// reading is the cost and the result of reading a file once.
type reading struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Rows    int     `json:"rows"`
	Sum     float64 `json:"sum"`
}

// timeTables reads a table for each line of standard input. Its arguments are the way and FILE:
//
//	bins     finds bins and bins all rows, as LightGBM's Dataset.construct does
//	rows     passes every row to a function
//	matrix   copies every row to a matrix in memory
//
// The answer is seconds, CPU seconds, rows and, for "rows", the sum of all values.
func timeTables(args []string) error {
	if len(args) != 2 {
		return errors.New("give bins, rows or matrix, and FILE")
	}
	ways := map[string]func(dataset.File) (reading, error){"bins": bins, "rows": rows, "matrix": matrix}
	read, ok := ways[args[0]]
	if !ok {
		return fmt.Errorf("no way %q", args[0])
	}
	return answer(func([]string) (any, error) { return timed(args[1], read) })
}

// timed reads a file and returns the cost, including that of opening it.
func timed(path string, read func(dataset.File) (reading, error)) (reading, error) {
	runtime.GC()
	start, busy := time.Now(), processorSeconds()
	file, err := data.Open(path, data.Options{Layout: data.Layout{Label: "name:label", Query: "name:query"}})
	if err != nil {
		return reading{}, err
	}
	defer file.Close()
	r, err := read(file)
	r.Seconds, r.CPU = time.Since(start).Seconds(), processorSeconds()-busy
	return r, err
}

func bins(data dataset.File) (reading, error) {
	p := booster.DefaultParams()
	sample, err := histogram.Read(context.Background(), data, p.BinParams())
	if err != nil {
		return reading{}, err
	}
	x, err := sample.Bin(context.Background(), data)
	if err != nil {
		return reading{}, err
	}
	return reading{Rows: x.NumRows()}, nil
}

func rows(data dataset.File) (reading, error) {
	sums := make([][8]float64, data.Workers()) // 64 bytes each, so that workers do not share a cache line
	meta, err := dataset.Scan(context.Background(), data, nil, func(worker int, row dataset.Row) error {
		addRow(&sums[worker], row.Value)
		return nil
	})
	if err != nil {
		return reading{}, err
	}
	r := reading{Rows: meta.NumRows()}
	for _, s := range sums {
		for _, part := range s {
			r.Sum += part
		}
	}
	return r, nil
}

// addRow adds values to eight independent sums, which the CPU adds in parallel, so that adding takes little
// time compared with reading. MSLR has 8 × 17 features, so no value is left over.
func addRow(sums *[8]float64, values []float64) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]float64)(values)
		s0, s1, s2, s3 = s0+v[0], s1+v[1], s2+v[2], s3+v[3]
		s4, s5, s6, s7 = s4+v[4], s5+v[5], s6+v[6], s7+v[7]
	}
	*sums = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// matrix copies all rows to a matrix. It first asks for the number of rows, to allocate the memory once.
func matrix(data dataset.File) (reading, error) {
	n, _, err := data.NumRows(context.Background())
	if err != nil {
		return reading{}, err
	}
	var once sync.Once
	var values []float64
	first, width := 0, 0
	_, err = dataset.Scan(context.Background(), data, nil, func(_ int, row dataset.Row) error {
		once.Do(func() {
			first, width = int(row.Feature[0]), int(row.Feature[len(row.Feature)-1])+1
			values = make([]float64, n*width)
		})
		if len(row.Value) != width-first { // tables have all features in every row
			return fmt.Errorf("row %d has other features than the first row, or in another order", row.Number)
		}
		copy(values[row.Number*width+first:], row.Value)
		return nil
	})
	return reading{Rows: n}, err
}
