// Command bins prints the bins of a data file, for check_bins.py:
//
//	bins data=train.txt max_bin=63 min_data_in_bin=3
//
// One line for each feature that is not constant: its number, and the upper
// bounds of all its bins but the last, as hexadecimal floating point.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/io/letor"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bins:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	path, params, err := parse(args)
	if err != nil {
		return err
	}
	file, err := letor.Open(path, letor.Options{})
	if err != nil {
		return err
	}
	defer file.Close()
	mapper, _, err := histogram.FindBins(context.Background(), file, params)
	if err != nil {
		return err
	}
	return print(mapper)
}

func parse(args []string) (path string, p histogram.BinParams, err error) {
	p = histogram.BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 200000}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "data":
			path = value
		case "max_bin":
			p.MaxBin, err = strconv.Atoi(value)
		case "min_data_in_bin":
			p.MinDataInBin, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("unknown argument %q", arg)
		}
		if err != nil {
			return "", p, err
		}
	}
	return path, p, nil
}

func print(m *histogram.Mapper) error {
	out := bufio.NewWriter(os.Stdout)
	for number, feature := range m.Features {
		if feature.Constant() {
			continue
		}
		fmt.Fprint(out, number)
		for _, bound := range feature.UpperBounds[:feature.NumBins()-1] {
			fmt.Fprintf(out, " %x", bound)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
