package training

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
)

// Data is a set of ranking data with its feature values in the form that a learner
// reads, such as a matrix of bins. Training only reads it, so that several training runs
// may share one Data, also at the same time.
type Data[V Values] struct {
	Name   string        // for messages and for Params.StopSet, such as a file's name
	Meta   *dataset.Meta // labels, queries and feature names
	Values V             // as many rows as Meta
}

// Values holds the feature values of rows.
type Values interface {
	comparable
	NumRows() int
}

// maxRows is the largest number of rows of a set. Learners number rows by int32. It is a variable so that
// tests can lower it.
var maxRows = math.MaxInt32

// checkData returns an error for data that do not fit together.
func checkData[V Values](train Data[V], valid []Data[V]) error {
	if err := train.check(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, d := range valid {
		if err := d.check(); err != nil {
			return err
		}
		if seen[d.Name] {
			return fmt.Errorf("data %q: two validation sets of that name", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}

// check returns an error for a set on which a model can neither be trained nor evaluated.
func (d *Data[V]) check() error {
	var none V
	switch {
	case d.Meta == nil || d.Values == none:
		return fmt.Errorf("data %q: Meta or Values is missing", d.Name)
	case d.Meta.AllRows() == 0:
		return fmt.Errorf("data %q: no rows", d.Name)
	case d.Meta.NumRows() > maxRows:
		return fmt.Errorf("data %q: %d rows; training takes at most %d", d.Name, d.Meta.NumRows(), maxRows)
	case d.Meta.NumRows() != d.Values.NumRows():
		return fmt.Errorf("data %q: %d labels for %d rows of values", d.Name, d.Meta.NumRows(), d.Values.NumRows())
	}
	return nil
}
