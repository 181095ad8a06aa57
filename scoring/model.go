package scoring

import (
	"errors"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/tree"
)

// Model is a fitted model that scores documents. [tree.Scorer] and nnbaseline.Model are models.
type Model interface {
	// NumFeatures returns the number of values of a row.
	NumFeatures() int

	// FeatureNames returns the names of the features, one for each value of a row.
	FeatureNames() []string

	// UsedFeatures returns the numbers of the features that scores depend on, ascending. The list is not nil
	// if it is empty.
	UsedFeatures() []int

	// Score writes the score of each row to dst. rows is row-major: row i is rows[i*n:(i+1)*n] with n =
	// NumFeatures(). Several goroutines may call it at the same time. If the error is about a row, it may be
	// a [RowError].
	Score(dst, rows []float64) error
}

// RemarkOf returns a remark for the user about what a model was read or made from; it may be empty.
func RemarkOf(m Model) string {
	if e, ok := m.(*tree.Ensemble); ok {
		return e.Remark
	}
	return ""
}

// RowError is an error of a [Model] about one of the rows of a call. This package replaces the number of the
// row in the call by its number in the data.
type RowError interface {
	error

	// Renumber replaces the number of the row by number of it.
	Renumber(number func(row int) int)
}

// renumbered replaces the number of the row that err is about, if it is about one, by its number in the data
// of all peers. numbers has the numbers of the call's rows in this peer's data,
// whose row 0 has the number first.
func renumbered(err error, numbers []int, first int) error {
	var inRow RowError
	if errors.As(err, &inRow) {
		inRow.Renumber(func(row int) int { return first + numbers[row] })
	}
	return err
}

// Output is a kind of output of a model: the same count of numbers for each row. [Scores], [Leaves] and
// [Contributions] make one.
type Output struct {
	features widened.Features                       // of the model
	width    int                                    // numbers for a row
	first    int                                    // number that row 0 has in the data of all peers
	compute  func(dst, rows []float64, n int) error // for n rows; dst has n*width numbers
	known    []provenance.Known                     // categories
	watch    *provenance.Watch                      // of a pass
}

// errNoOutput is the error for an Output that was not made by a function of this package.
var errNoOutput = errors.New("the Output is empty; make it with Scores, Leaves or Contributions")

func (o Output) check() error {
	if o.compute == nil {
		return errNoOutput
	}
	return nil
}

// Scores computes one number per row: its score by m.
func Scores(m Model) Output {
	return Output{
		features: widened.FeaturesOf(m),
		width:    1,
		compute:  func(dst, rows []float64, _ int) error { return m.Score(dst, rows) },
		known:    provenance.KnownCategories(m),
	}
}

// Leaves computes for each tree the number of the leaf that the row reaches, as [tree.Ensemble.Leaves] does.
func Leaves(e *tree.Ensemble) Output {
	return ofTrees(e, len(e.Trees), func(dst, rows []float64, n int) error {
		leaves := make([]int32, len(dst))
		err := e.Leaves(leaves, rows, n)
		for i, leaf := range leaves {
			dst[i] = float64(leaf)
		}
		return err
	})
}

// Contributions computes one number for each feature, its contribution to the score, and last the mean score,
// as [tree.Ensemble.Contributions] does.
func Contributions(e *tree.Ensemble) Output {
	return ofTrees(e, len(e.Features)+1, e.Contributions)
}

func ofTrees(e *tree.Ensemble, width int, compute func(dst, rows []float64, n int) error) Output {
	return Output{features: widened.FeaturesOf(e), width: width, compute: compute,
		known: provenance.KnownCategories(e)}
}
