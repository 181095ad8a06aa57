package tree

import (
	"errors"
	"fmt"
	"math"
)

// ErrNoBackground is the error for interventional contributions without rows to compare with.
var ErrNoBackground = errors.New("interventional contributions need at least one background row")

// ContributionsAgainst explains the scores of n rows by comparing them with m background rows, such as rows
// of the training data. For each row it writes NumFeatures()+1 numbers to dst: the contribution of each
// feature, and last the mean score of the background rows. Their sum is the score. rows and background are as
// for [Ensemble.Score].
//
// The contributions are Shapley values, where features that are not known have the values of a background
// row, averaged over these rows: the interventional TreeSHAP of Lundberg et al., From local explanations to
// global understanding with explainable AI for trees (Nature Machine Intelligence 2, 2020), Algorithm 3. They
// do not depend on correlations of features in the training data, and need no row counts. The work is
// proportional to m·n.
//
// It is an error if lengths do not fit. Otherwise the error is [ErrNoBackground] or wraps [ErrLinear].
func (e *Ensemble) ContributionsAgainst(dst, rows []float64, n int, background []float64, m int) error {
	features := e.NumFeatures()
	if err := e.checkExplained(len(dst), len(rows), n, features+1, "(%d features + 1)"); err != nil {
		return err
	}
	if err := e.checkRows(len(background), m); err != nil {
		return err
	}
	if m < 1 {
		return ErrNoBackground
	}
	clear(dst)
	x := &versus{side: make([]int8, features)}
	for i := range e.Trees {
		if e.Trees[i].Linear != nil {
			return fmt.Errorf("tree %d: %w", i, ErrLinear)
		}
		x.tree = &e.Trees[i]
		for row := range n {
			x.row, x.dst = rows[row*features:][:features], dst[row*(features+1):][:features+1]
			for other := range m {
				x.other = background[other*features:][:features]
				x.visit(x.tree.Root())
			}
		}
	}
	for i, v := range dst {
		dst[i] = e.average(v / float64(m))
	}
	return nil
}

// versus explains how the value of one tree for a row differs from the value for another row.
type versus struct {
	tree       *Tree
	row, other []float64
	dst        []float64 // contributions, and last the value for the other row

	// of each feature: 1 if the path follows the row at it, -1 if it follows the other row, else 0
	side    []int8
	follows []int32 // features whose side is 1, and
	differs []int32 // those whose side is -1
	weights [][]float64
}

// visit goes down to all leaves that can be reached by a row that has some features of the one row and the
// others of the other row.
func (x *versus) visit(child int32) {
	if child < 0 {
		x.addLeaf(x.tree.LeafValue[^child])
		return
	}
	t, f := x.tree, x.tree.Feature[child]
	own, others := t.Right[child], t.Right[child]
	if t.goesLeft(child, x.row[f]) {
		own = t.Left[child]
	}
	if t.goesLeft(child, x.other[f]) {
		others = t.Left[child]
	}
	switch {
	case x.side[f] > 0 || own == others:
		x.visit(own)
	case x.side[f] < 0:
		x.visit(others)
	default:
		x.side[f], x.follows = 1, append(x.follows, f)
		x.visit(own)
		x.follows = x.follows[:len(x.follows)-1]
		x.side[f], x.differs = -1, append(x.differs, f)
		x.visit(others)
		x.side[f], x.differs = 0, x.differs[:len(x.differs)-1]
	}
}

// addLeaf adds a leaf that is reached if all features that follow the row are known, p of them, and none of
// the q that differ is. The Shapley value of each of the former is value · (p-1)! q! / (p+q)!, and of each
// of the latter -value · p! (q-1)! / (p+q)!.
func (x *versus) addLeaf(value float64) {
	p, q := len(x.follows), len(x.differs)
	if p == 0 {
		x.dst[len(x.dst)-1] += value
	}
	if p > 0 {
		up := float64(value * x.weight(p-1, q))
		for _, f := range x.follows {
			x.dst[f] += up
		}
	}
	if q > 0 {
		down := float64(value * x.weight(p, q-1))
		for _, f := range x.differs {
			x.dst[f] -= down
		}
	}
}

// weight returns a! b! / (a+b+1)!.
func (x *versus) weight(a, b int) float64 {
	for len(x.weights) <= a {
		x.weights = append(x.weights, nil)
	}
	line := x.weights[a]
	if len(line) == 0 {
		line = append(line, 1/float64(a+1))
	}
	for len(line) <= b {
		k := len(line)
		line = append(line, line[k-1]*(float64(k)/float64(a+k+1)))
	}
	x.weights[a] = line
	return line[b]
}

// quadrature returns the places and weights, ascending by place, by which n values of a polynomial of
// degree 2n-1 or less give its integral from 0 to 1 exactly (Gauss and Legendre). The places are the
// zeros of the Legendre polynomial of degree n, found by Newton's method.
func quadrature(n int) (places, weights []float64) {
	places, weights = make([]float64, n), make([]float64, n)
	for i := range (n + 1) / 2 {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 100 {
			value, derivative := legendre(n, x)
			slope = derivative
			step := value / derivative
			x -= step
			if math.Abs(step) < 1e-15 {
				break
			}
		}
		_, slope = legendre(n, x)
		weight := 1 / (float64((1-float64(x*x))*slope) * slope) // 2/(…) on [-1, 1], and half of it on [0, 1]
		places[i], places[n-1-i] = float64((1-x)*0.5), float64((1+x)*0.5)
		weights[i], weights[n-1-i] = weight, weight
	}
	return places, weights
}

// legendre returns the value at x, and the slope there, of the Legendre polynomial of degree n ≥ 1.
func legendre(n int, x float64) (value, slope float64) {
	before, value := 1.0, x
	for k := 2; k <= n; k++ {
		next := (float64(float64(2*k-1)*x*value) - float64(float64(k-1)*before)) / float64(k)
		before, value = value, next
	}
	return value, float64(n) * (float64(x*value) - before) / (float64(x*x) - 1)
}
