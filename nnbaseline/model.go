package nnbaseline

import (
	"errors"
	"io"
)

// Model is a trained network. It does not change, and may be used by several
// goroutines at once.
type Model struct {
	ranker   string
	features []Feature
}

// Feature is what a model knows of a column.
type Feature struct {
	Name  string
	Mean  float64 // of the compressed values of the training rows
	Scale float64 // 1 / their standard deviation; 0 for a constant feature, which does not count
}

// Ranker returns the loss that the model was trained with.
func (m *Model) Ranker() string { return m.ranker }

// Features returns the columns of the model; the slice must not be changed.
func (m *Model) Features() []Feature { return m.features }

// NumFeatures returns the number of values of a row.
func (m *Model) NumFeatures() int { return len(m.features) }

// Layers returns the widths of all layers: features, hidden layers, 1.
func (m *Model) Layers() []int { return nil }

// Score writes the score of each row to dst. rows holds raw feature values,
// row-major: row i is rows[i*n:(i+1)*n] with n = m.NumFeatures(). A score does not
// depend on the rows that are scored with it. Score does not allocate in the long
// run.
//
// The error is a [*NaNError] where a value is NaN and the model was trained with
// nan=error, an [*InfiniteError], or tells of lengths that do not fit.
func (m *Model) Score(dst, rows []float64) error { return errors.New("nnbaseline: not there yet") }

// ScoreData writes the score of each row of data to dst, by the given number of
// goroutines (GOMAXPROCS if it is below 1), which does not change the scores.
// Features that data lacks count as zero, others than the model's are ignored.
func (m *Model) ScoreData(dst []float64, data Data, threads int) error {
	return errors.New("nnbaseline: not there yet")
}

// Write writes the model in the form that the package's documentation gives.
func (m *Model) Write(w io.Writer) error { return errors.New("nnbaseline: not there yet") }

// IsModel tells from the first bytes of a file, 8 or more, that it is a model of
// this package.
func IsModel(prefix []byte) bool { return false }

// ReadModel reads a model. Errors wrap one of ErrForeign, ErrVersion, ErrCut,
// ErrDamaged and ErrInvalid, or are r's.
func ReadModel(r io.Reader) (*Model, error) { return nil, errors.New("nnbaseline: not there yet") }

// ReadFile reads a model from a file, and from standard input where path is "-".
func ReadFile(path string) (*Model, error) { return nil, errors.New("nnbaseline: not there yet") }
