// Command bins prints the bins of a data file, for test/check_bins.py:
//
//	bins data=train.txt max_bin=63 min_data_in_bin=3
//
// Each feature that is not constant has a line: its number, which values are missing (None, Zero or
// NaN), and its upper bounds as hexadecimal floating point, without the last one, which is +Inf.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
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
	file, err := data.Open(path, data.Options{})
	if err != nil {
		return err
	}
	defer file.Close()
	sample, err := histogram.Read(context.Background(), file, params)
	if err != nil {
		return err
	}
	return write(sample.Mapper)
}

func parse(args []string) (path string, p histogram.BinParams, err error) {
	settings := booster.DefaultParams()
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if name == "data" {
			path = value
		} else if _, err := settings.Table().Apply([]param.Setting{{Name: name, Value: value}}); err != nil {
			return "", p, err
		}
	}
	return path, settings.BinParams(), nil
}

// missingNames are LightGBM's names.
var missingNames = map[histogram.Missing]string{histogram.MissingNone: "None", histogram.MissingZero: "Zero",
	histogram.MissingNaN: "NaN"}

func write(m *histogram.Mapper) error {
	out := bufio.NewWriter(os.Stdout)
	for number, feature := range m.Features {
		if feature.Constant() {
			continue
		}
		fmt.Fprint(out, number, " ", missingNames[feature.Missing])
		for _, bound := range feature.UpperBounds[:len(feature.UpperBounds)-1] {
			fmt.Fprintf(out, " %x", bound)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
