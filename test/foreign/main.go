// Command foreign reads models of any system, for the Python checks in test:
//
//	foreign score MODEL VALUES      scores rows; prints a line for each: our score and the
//	                                sum of the leaves in float32, in hexadecimal
//	foreign leaves MODEL VALUES     scores rows by github.com/dmitryikh/leaves; prints a line for each
//	foreign write FORM MODEL FILE   writes MODEL in another format
//
// VALUES holds little-endian float64 values, row after row, as numpy's tofile writes them.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dmitryikh/leaves"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "score":
		return score(args[1], args[2])
	case len(args) == 3 && args[0] == "leaves":
		return scoreByLeaves(args[1], args[2])
	case len(args) == 4 && args[0] == "write":
		return write(args[1], args[2], args[3])
	}
	return fmt.Errorf("usage: foreign score MODEL VALUES, foreign leaves MODEL VALUES, or "+
		"foreign write FORM MODEL FILE; forms: %s",
		strings.Join(slices.Sorted(maps.Keys(forms)), ", "))
}

func score(path, values string) error {
	e, _, err := model.ReadFile(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	err = eachRow(values, e.NumFeatures(), func(row []float64) error {
		mine, err := e.ScoreRow(row)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s %s\n", hex(mine), hex(float64(sum32(e, row))))
		return err
	})
	return errors.Join(err, out.Flush())
}

func scoreByLeaves(path, values string) error {
	e, err := leaves.LGEnsembleFromFile(path, false)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	err = eachRow(values, e.NFeatures(), func(row []float64) error {
		_, err := fmt.Fprintln(out, hex(e.PredictSingle(row, 0)))
		return err
	})
	return errors.Join(err, out.Flush())
}

// eachRow calls do for each row of n values in a file.
func eachRow(path string, n int, do func(row []float64) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data)%(8*n) != 0 {
		return fmt.Errorf("%s: %d bytes are not rows of %d values", path, len(data), n)
	}
	row := make([]float64, n)
	for ; len(data) > 0; data = data[8*n:] {
		for i := range row {
			row[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

func hex(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// sum32 adds leaf after leaf in float64 and rounds each sum to float32. Engines that add in float32 give the
// same result.
func sum32(e *tree.Ensemble, row []float64) float32 {
	var sum float32
	for i := range e.Trees {
		sum = float32(float64(sum) + e.Trees[i].Score(row))
	}
	return sum
}

// forms are the targets of exports, with their settings.
var forms = map[string]struct {
	target   string
	settings []param.Setting
}{
	"lightgbm":      {"lightgbm", nil},
	"lightgbm-json": {"lightgbm-json", nil},
	"ranklib-0":     {"ranklib", []param.Setting{{Name: "feature_base", Value: "0"}}},
	"ranklib-1":     {"ranklib", []param.Setting{{Name: "feature_base", Value: "1"}}},
	"xgboost-dump":  {"elasticsearch", nil},
	"xgboost-raw":   {"xgboost", nil},
}

func write(form, from, to string) error {
	writer, known := forms[form]
	if !known {
		return fmt.Errorf("unknown form %q", form)
	}
	e, _, err := model.ReadFile(from)
	if err != nil {
		return err
	}
	x, err := model.Export(e, writer.target, model.Options{Settings: writer.settings})
	if err != nil {
		return err
	}
	return os.WriteFile(to, x.Content, 0o666)
}
