// Package vectors holds test vectors of an exported model: rows of feature values,
// and the scores that an engine must give them. Whoever deploys the model sends the
// rows through the engine and compares.
//
// # The format
//
// A JSON object, with one row a line:
//
//	{"form":"lambdamart vectors 1",
//	"target":"solr",
//	"model":"9f86d0…",
//	"arithmetic":"float32",
//	"tolerance":0,
//	"features":["title_bm25","body_bm25"],
//	"rows":[
//	{"values":[0.5,null],"score":1.25,"model_score":1.2500000121},
//	...
//	]}
//
//	form         is always this text
//	target       the format that the model was exported to
//	model        SHA-256 of the model file that was exported
//	arithmetic   how the engine adds leaf values; see below
//	tolerance    an engine's score may differ from score by as much
//	features     names of the values, as the engine knows them
//	values       one for each feature; null is a missing value. All are numbers of
//	             the engine's type: with float32 they lose nothing when rounded
//	score        what the engine gives
//	model_score  what the model gives, in float64
//
// The arithmetics are "float64", "float32" (each leaf value is rounded, and each
// sum, in the order of the trees) and "float64 to float32" (the sum is rounded).
// The tolerance is 0 where the engine adds in order; where it does not, it is the
// bound of what the order can change: the number of trees times 2^-23 (2^-52 for
// float64) times the largest sum of magnitudes, and one rounding.
package vectors

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/tree"
)

// form is the first value of every file.
const form = "lambdamart vectors 1"

// Arithmetic is how an engine adds leaf values.
type Arithmetic string

// The arithmetics there are.
const (
	Float64          Arithmetic = "float64"
	Float32          Arithmetic = "float32"
	Float64ToFloat32 Arithmetic = "float64 to float32"
)

// Score returns the score that e gives to row in an engine that adds so.
func (a Arithmetic) Score(e *tree.Ensemble, row []float64) float64 {
	sum := 0.0
	for i := range e.Trees {
		value := e.Trees[i].Score(row)
		if a == Float32 {
			sum = float64(float32(sum) + float32(value))
		} else {
			sum += value
		}
	}
	switch trees := len(e.Trees); {
	case !e.Average || trees == 0:
	case a == Float32:
		sum = float64(float32(sum) / float32(trees))
	default:
		sum /= float64(trees)
	}
	if a == Float64 {
		return sum
	}
	return float64(float32(sum))
}

// Set is a file of test vectors.
type Set struct {
	Target     string
	Model      string // SHA-256 in hexadecimal
	Arithmetic Arithmetic
	Tolerance  float64
	Features   []string
	Rows       []Row
}

// Row is one vector.
type Row struct {
	Values     []float64 // one for each feature; NaN is a missing value
	Score      float64   // the engine's
	ModelScore float64
}

// Kinds of faults in a file, to be found with [errors.Is].
var (
	// ErrFormat: the text is not what a file of vectors has in this place.
	ErrFormat = errors.New("not a file of test vectors")
	// ErrFeature: the model and the vectors have other features.
	ErrFeature = errors.New("features differ")
)

// Report tells how a model scores the vectors.
type Report struct {
	Rows      int
	Different int     // rows whose score is not the one of the file
	Worst     float64 // largest difference; NaN counts as infinite
	WorstRow  int     // -1 if no row differs
	First     int     // first row that differs; -1 if none does
	Scores    []float64
}

// Check scores the rows by e, a model that was read from the exported file, as the
// engine does, and compares. Features are found by their names, and those of formats
// without names, which are called Column_n, by their number; the error is an
// [ErrFeature] if e uses one that the vectors do not have.
func (s *Set) Check(e *tree.Ensemble) (*Report, error) {
	columns, err := s.columns(e)
	if err != nil {
		return nil, err
	}
	r := &Report{Rows: len(s.Rows), First: -1, WorstRow: -1}
	row := make([]float64, len(columns))
	for i := range s.Rows {
		for j, column := range columns {
			if row[j] = math.NaN(); column >= 0 {
				row[j] = s.Rows[i].Values[column]
			}
		}
		score := s.Arithmetic.Score(e, row)
		r.Scores = append(r.Scores, score)
		r.add(i, score, s.Rows[i].Score)
	}
	return r, nil
}

func (r *Report) add(row int, score, want float64) {
	if score == want {
		return
	}
	difference := math.Abs(score - want)
	if math.IsNaN(difference) {
		difference = math.Inf(1)
	}
	r.Different++
	if r.First < 0 {
		r.First = row
	}
	if difference > r.Worst {
		r.Worst, r.WorstRow = difference, row
	}
}

// columns returns the place of each feature of e in a row, -1 for those that e does
// not use and the vectors do not have.
func (s *Set) columns(e *tree.Ensemble) ([]int, error) {
	place := make(map[string]int, len(s.Features))
	for i, name := range s.Features {
		place[name] = i
	}
	columns := make([]int, len(e.Features))
	for i, f := range e.Features {
		column, found := place[f.Name]
		if !found && f.Name == "Column_"+strconv.Itoa(i) && i < len(s.Features) { // of a format without names
			column, found = i, true
		}
		if columns[i] = column; !found {
			columns[i] = -1
		}
	}
	for _, i := range e.UsedFeatures() {
		if columns[i] < 0 {
			return nil, fmt.Errorf("%w: the model uses %q, which the vectors do not have", ErrFeature, e.Features[i].Name)
		}
	}
	return columns, nil
}
