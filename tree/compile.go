package tree

import (
	"fmt"
	"sync"
)

// Scorer is an ensemble in a form that scores fast. Its scores are bit for bit those of [Ensemble.Score]; its
// other methods are those of the ensemble. It does not change after [Compile], and any number of goroutines
// may use it at the same time. Calls do not allocate once there is scratch memory for each call that runs at
// the same time.
//
// It scores in one of three ways, chosen by the shape of the model and the number of rows of a call:
// bit-sliced blocks for queries and batches (see bitsliced.go), interleaved trees for few rows
// (interleaved.go), and the plain walk for models that have linear leaves or are too large for the other
// two. In the first two, trees of few conditions, such as symmetric ones, are looked up in a table
// instead (table.go).
type Scorer struct {
	*Ensemble // the model, which must not be changed

	quantizer   *quantizer
	bitSliced   *bitSliced   // nil if the model does not fit
	interleaved *interleaved // nil if the model does not fit
	minBlock    int          // the number of rows from which a block is faster than a walk for each of them

	scratch sync.Pool // of *scratch
}

// scratch is the memory that a call needs in addition to its arguments.
type scratch struct {
	row   []float64 // a row of float32 values, converted to float64
	walk  *walkScratch
	block *blockScratch
}

// minBlock returns the number of rows from which a block is faster than a walk for each of them. A block's
// cost grows with the number of leaves, and a walk's with their depth. The cost of tables grows with neither.
// The numbers are measured. If w is nil, rows are scored by the plain walk, which is the slowest.
func (w *interleaved) minBlock(trees []Tree, tables []*table) int {
	leaves := 0
	for i, t := range tables {
		if t == nil {
			leaves += trees[i].NumLeaves()
		}
	}
	switch {
	case w == nil:
		return 4
	case leaves == 0:
		return 7
	case w.clustered != nil:
		return min(20+leaves/len(trees)/18, mapRows)
	}
	return min(9+leaves/len(trees)/24, mapRows)
}

func meanLeaves(trees []Tree) int {
	sum := 0
	for i := range trees {
		sum += trees[i].NumLeaves()
	}
	return sum / max(1, len(trees))
}

// Compile returns a scorer of a model, or an [*InvalidError] if e is not valid. The scorer refers
// to e, which must not be changed while it is in use.
func Compile(e *Ensemble) (*Scorer, error) { return compile(e, maxTableConditions) }

// compile is Compile, given the largest number of conditions of a tree that becomes a table.
func compile(e *Ensemble, mostConditions int) (*Scorer, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	s := &Scorer{Ensemble: e}
	if q := newQuantizer(e.Trees); q != nil {
		s.quantizer = q
		tables := tablesOf(e.Trees, q, mostConditions)
		s.interleaved = newInterleaved(e.Trees, tables, q)
		s.minBlock = s.interleaved.minBlock(e.Trees, tables)
		s.bitSliced = newBitSliced(e.Trees, tables, q)
		q.columnOf = nil
	}
	s.scratch.New = func() any { return s.newScratch() }
	return s, nil
}

func (s *Scorer) newScratch() *scratch {
	x := &scratch{row: make([]float64, s.NumFeatures())}
	if s.interleaved != nil {
		x.walk = s.interleaved.newScratch()
	}
	if s.bitSliced != nil {
		x.block = s.bitSliced.newScratch(s.quantizer)
	}
	return x
}

// Score writes the score of each row to dst. rows is row-major: row i is rows[i*n:(i+1)*n] with n =
// s.NumFeatures(). It returns an error if len(rows) is not len(dst)*n.
func (s *Scorer) Score(dst, rows []float64) error { return scoreRows(s, dst, rows) }

// Score32 is like Score, for float32 values. Each is compared as the float64 that
// it equals, as LightGBM does.
func (s *Scorer) Score32(dst []float64, rows []float32) error { return scoreRows(s, dst, rows) }

func scoreRows[F number](s *Scorer, dst []float64, rows []F) error {
	if err := s.Ensemble.checkRows(len(rows), len(dst)); err != nil {
		return err
	}
	x := s.scratch.Get().(*scratch)
	for stride := s.NumFeatures(); len(dst) > 0; {
		n := min(len(dst), mapRows*mostWords())
		scoreSome(s, x, dst[:n], rows[:n*stride])
		dst, rows = dst[n:], rows[n*stride:]
	}
	s.scratch.Put(x)
	return nil
}

// scoreSome writes the scores of up to blockRows rows.
func scoreSome[F number](s *Scorer, x *scratch, dst []float64, rows []F) {
	stride := s.NumFeatures()
	switch {
	case s.bitSliced != nil && len(dst) >= s.minBlock:
		scoreBlock(s.bitSliced, s.quantizer, x.block, dst, rows, stride)
	case s.interleaved != nil:
		for i := range dst {
			dst[i] = scoreWalk(s.interleaved, s.quantizer, x.walk, rows[i*stride:(i+1)*stride])
		}
	default:
		for i := range dst {
			for j := range x.row {
				x.row[j] = float64(rows[i*stride+j])
			}
			dst[i] = s.Ensemble.score(x.row)
		}
		return
	}
	for i := range dst {
		dst[i] = s.Ensemble.scoreOf(dst[i])
	}
}

// shapeError returns the error for an argument whose length does not fit the model.
// why says how want is computed.
func shapeError(argument string, length, want int, why string) error {
	return fmt.Errorf("%s has length %d, want %d (%s)", argument, length, want, why)
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

// average returns the sum of the values of all trees or, if scores are averages, the sum divided by their
// number.
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
