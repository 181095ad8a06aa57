package tree

import "fmt"

// shapeError returns the error for an argument whose length does not fit the model. why says how want is
// computed.
func shapeError(argument string, length, want int, why string) error {
	return fmt.Errorf("tree: %s has length %d, want %d (%s)", argument, length, want, why)
}

// Score writes the score of each row to dst. rows is row-major: row i is rows[i*n:(i+1)*n] with n =
// e.NumFeatures(). It returns an error if len(rows) is not len(dst)*n.
//
// This is the plain walk down the trees, with which all other ways of scoring are compared in
// tests. e must be valid (see [Ensemble.Validate]).
func (e *Ensemble) Score(dst, rows []float64) error {
	if err := e.checkRows(len(rows), len(dst)); err != nil {
		return err
	}
	n := e.NumFeatures()
	for i := range dst {
		dst[i] = e.score(rows[i*n : (i+1)*n])
	}
	return nil
}

// ScoreRow returns the score of one row of e.NumFeatures() values. It returns an error if
// row has another length.
func (e *Ensemble) ScoreRow(row []float64) (float64, error) {
	if err := e.checkRows(len(row), 1); err != nil {
		return 0, err
	}
	return e.score(row), nil
}

func (e *Ensemble) score(row []float64) float64 {
	sum := 0.0
	for i := range e.Trees {
		sum += e.Trees[i].Score(row)
	}
	return e.scoreOf(sum)
}

// scoreOf returns the score of a row for which the values of all trees sum to sum.
func (e *Ensemble) scoreOf(sum float64) float64 {
	if sum = e.average(sum); e.output != nil {
		return e.output(sum)
	}
	return sum
}

// average returns the sum of the values of all trees or, if scores are averages, the sum divided by their number.
func (e *Ensemble) average(sum float64) float64 {
	if e.Average && len(e.Trees) > 0 {
		return sum / float64(len(e.Trees))
	}
	return sum
}

// Leaves writes the leaf numbers of each row to dst: row i's leaf in tree j is
// dst[i*len(e.Trees)+j]. rows is as for [Ensemble.Score]. It returns an error if the lengths
// of rows and dst do not fit n rows.
func (e *Ensemble) Leaves(dst []int32, rows []float64, n int) error {
	if err := e.checkRows(len(rows), n); err != nil {
		return err
	}
	trees := len(e.Trees)
	if len(dst) != n*trees {
		return shapeError("dst", len(dst), n*trees, fmt.Sprintf("%d rows × %d trees", n, trees))
	}
	features := e.NumFeatures()
	for i := range n {
		row := rows[i*features : (i+1)*features]
		for j := range e.Trees {
			dst[i*trees+j] = int32(e.Trees[j].Leaf(row))
		}
	}
	return nil
}

// checkRows returns an error unless values is the number of values in n rows.
func (e *Ensemble) checkRows(values, n int) error {
	if n < 0 || values != n*e.NumFeatures() {
		return shapeError("rows", values, n*e.NumFeatures(),
			fmt.Sprintf("%d rows × %d features", n, e.NumFeatures()))
	}
	return nil
}
