package model

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// vectorsForm is the first value of every file of test vectors.
const vectorsForm = "lambdamart vectors 1"

// VectorsEnding is appended to the name of an exported file to get the name of
// the file with its test vectors.
const VectorsEnding = ".vectors.json"

// The arithmetics: how an engine adds leaf values.
const (
	inFloat64        = "float64"
	inFloat32        = "float32"
	float64ToFloat32 = "float64 to float32"
)

// scoreIn returns the score that e gives to row in an engine with the given arithmetic.
func scoreIn(arithmetic string, e *tree.Ensemble, row []float64) float64 {
	sum := 0.0
	for i := range e.Trees {
		value := e.Trees[i].Score(row)
		if arithmetic == inFloat32 {
			sum = float64(float32(sum) + float32(value))
		} else {
			sum += value
		}
	}
	switch trees := len(e.Trees); {
	case !e.Average || trees == 0:
	case arithmetic == inFloat32:
		sum = float64(float32(sum) / float32(trees))
	default:
		sum /= float64(trees)
	}
	if arithmetic == inFloat64 {
		return sum
	}
	return float64(float32(sum))
}

// Vectors are test vectors: rows, and the scores that an engine must compute for them. The package
// documentation describes their file.
type Vectors struct {
	Target     string   `json:"target"`     // name of the export target
	Model      string   `json:"model"`      // SHA-256 of the exported model's file, in hexadecimal
	Arithmetic string   `json:"arithmetic"` // how the engine adds leaf values; see the package documentation
	Tolerance  float64  `json:"tolerance"`
	Features   []string `json:"features"`
	Queries    []int    `json:"queries,omitempty"` // rows of each query; nil for models without query context
	Rows       []Vector `json:"-"`
}

// Vector is one test vector.
type Vector struct {
	Values     []float64 // one for each feature; NaN is a missing value
	Score      float64   // of the engine
	ModelScore float64   // of the model, in float64
}

// errVectors: the file is not a valid file of test vectors.
var errVectors = document.Kind(document.ErrFormat, "not a file of test vectors")

// errFeature: the model uses a feature that the vectors do not have.
var errFeature = errors.New("features differ")

// readVectorsFile reads the vectors in the file at path, which may be compressed with gzip or zstd; "-" is
// standard input. Errors name the file.
func readVectorsFile(path string) (*Vectors, error) {
	return stream.Read(path, func(r io.Reader, name string) (*Vectors, error) {
		s, err := readVectors(r)
		return s, inFile(name, err)
	})
}

// check scores the rows with e, a model that was read from the exported file, in the arithmetic of the
// engine, and compares the scores. Features are matched by name, or by number in formats without names, where
// they are called Column_n. The error is an [errFeature] if the vectors lack a feature that e uses.
func (s *Vectors) check(e *tree.Ensemble) (*Verified, error) {
	rows, err := s.rowsFor(e)
	if err != nil {
		return nil, err
	}
	v := &Verified{Model: e, Vectors: s, First: -1, WorstRow: -1}
	for i, row := range rows {
		score := scoreIn(s.Arithmetic, e, row)
		v.Scores = append(v.Scores, score)
		v.add(i, score, s.Rows[i].Score)
	}
	return v, nil
}

func (v *Verified) add(row int, score, want float64) {
	if score == want {
		return
	}
	difference := math.Abs(score - want)
	if math.IsNaN(difference) {
		difference = math.Inf(1)
	}
	v.Different++
	if v.First < 0 {
		v.First = row
	}
	if difference > v.Worst {
		v.Worst, v.WorstRow = difference, row
	}
}

// columns returns the index of each feature of e in a row, or -1 for unused features that the vectors lack.
func (s *Vectors) columns(e *tree.Ensemble) ([]int, error) {
	place := make(map[string]int, len(s.Features))
	for i, name := range s.Features {
		place[name] = i
	}
	raw, used := widened.FeaturesOf(e).Raw()
	columns := make([]int, raw)
	for i, f := range e.Features[:raw] {
		column, found := place[f.Name]
		if !found && f.Name == "Column_"+strconv.Itoa(i) && i < len(s.Features) { // the format has no names
			column, found = i, true
		}
		if columns[i] = column; !found {
			columns[i] = -1
		}
	}
	for _, i := range used {
		if columns[i] < 0 {
			return nil, fmt.Errorf("%w: the model uses %q, which the vectors do not have", errFeature,
				e.Features[i].Name)
		}
	}
	return columns, nil
}

// querySizes divides rows into queries of 1 to 12 rows.
func querySizes(rows int) []int {
	var sizes []int
	for size := 1; rows > 0; size = size%12 + 1 {
		sizes = append(sizes, min(size, rows))
		rows -= size
	}
	return sizes
}

// rowsFor returns the rows with the columns of e, including query context if e has it. Features that the
// vectors lack are missing values.
func (s *Vectors) rowsFor(e *tree.Ensemble) ([][]float64, error) {
	columns, err := s.columns(e)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(s.Rows))
	for i := range rows {
		rows[i] = make([]float64, len(columns))
		for j, column := range columns {
			if rows[i][j] = math.NaN(); column >= 0 {
				rows[i][j] = s.Rows[i].Values[column]
			}
		}
	}
	switch {
	case e.Context == nil && s.Queries != nil:
		return nil, fmt.Errorf("%w: the vectors are rows of queries, and the model has no query context",
			errFeature)
	case e.Context == nil:
		return rows, nil
	case s.Queries == nil:
		return nil, fmt.Errorf("%w: the model has query context, and the vectors are single rows", errFeature)
	}
	return widen(rows, s.Queries, e), nil
}

// widen returns rows with the query context of e. sizes are the numbers of rows of the queries.
func widen(rows [][]float64, sizes []int, e *tree.Ensemble) [][]float64 {
	values := widened.FeaturesOf(e).Rows(slices.Concat(rows...), sizes...)
	return slices.Collect(slices.Chunk(values, e.Context.Len()))
}
