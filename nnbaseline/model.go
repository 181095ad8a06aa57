package nnbaseline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/blas"

	"github.com/lambdamart/lambdamart/internal/gemm"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/tree"
)

// Model is a trained network. It does not change, and several goroutines may use it at once.
type Model struct {
	ranker      string
	parameters  map[string]string
	inputs      inputs
	network     *network
	calibration *tree.Calibration
	probable    bool      // scores are the probabilities of the calibration
	scorers     sync.Pool // of *scorer
}

func newModel(ranker string, parameters map[string]string, in inputs, n *network) *Model {
	m := &Model{ranker: ranker, parameters: parameters, inputs: in, network: n}
	m.scorers.New = func() any { return newScorer(m) }
	return m
}

// Ranker returns the loss that the model was trained with.
func (m *Model) Ranker() string { return m.ranker }

// Parameters returns the parameters that the model was trained with, by name, without those on which the
// model does not depend, and the facts about its run that package provenance names.
// The map must not be changed.
func (m *Model) Parameters() map[string]string { return m.parameters }

// Calibration returns the function that makes probabilities of scores; nil if there is none.
func (m *Model) Calibration() *tree.Calibration { return m.calibration }

// Calibrated returns the model with a calibration, in place of its former one. It shares the network with m.
func (m *Model) Calibrated(c *tree.Calibration) *Model {
	parameters := map[string]string{}
	maps.Copy(parameters, m.parameters)
	parameters[provenance.Calibration] = c.String()
	calibrated := newModel(m.ranker, parameters, m.inputs, m.network)
	calibrated.calibration = c
	return calibrated
}

// Probabilities returns the model whose scores are the probabilities of its calibration. It shares the
// network with m. The error for a model without one wraps [tree.ErrNoProbability].
func (m *Model) Probabilities() (*Model, error) {
	if m.calibration == nil {
		return nil, tree.ErrNoProbability
	}
	probable := m.Calibrated(m.calibration)
	probable.probable = true
	return probable, nil
}

// NumFeatures returns the number of values of a row.
func (m *Model) NumFeatures() int { return len(m.inputs.features) }

// FeatureNames returns the names of the features, one for each value of a row.
func (m *Model) FeatureNames() []string {
	names := make([]string, len(m.inputs.features))
	for f := range names {
		names[f] = m.inputs.features[f].Name
	}
	return names
}

// UsedFeatures returns the numbers of the features that scores depend on, ascending: those that
// were not constant in the training data.
func (m *Model) UsedFeatures() []int {
	used := []int{}
	for f := range m.inputs.features {
		if m.inputs.features[f].Scale != 0 {
			used = append(used, f)
		}
	}
	return used
}

// Layers returns the widths of all layers: the features, the hidden layers, and 1 for the score. The
// slice must not be changed.
func (m *Model) Layers() []int { return m.network.widths }

// NumWeights returns the number of values that were trained.
func (m *Model) NumWeights() int { return len(m.network.weights) }

// scoreBlock is the number of rows that are scored together.
const scoreBlock = 128

// scorer is the memory for scoring a block of rows.
type scorer struct {
	model      *Model
	compressed []float32 // one row
	inputs     []float32 // scoreBlock × features
	hidden     [2][]float32
	factors    [][]float32 // of batch-normalized layers: output = sum·factor + term
	terms      [][]float32
}

func newScorer(m *Model) *scorer {
	n := m.network
	widest := 0
	for _, width := range n.widths[1:] {
		widest = max(widest, width)
	}
	s := &scorer{
		model:      m,
		compressed: make([]float32, n.widths[0]),
		inputs:     make([]float32, scoreBlock*n.widths[0]),
		hidden:     [2][]float32{make([]float32, scoreBlock*widest), make([]float32, scoreBlock*widest)},
		factors:    make([][]float32, len(n.layers)),
		terms:      make([][]float32, len(n.layers)),
	}
	for i := range n.layers {
		if n.layers[i].variance != nil {
			s.factors[i], s.terms[i] = n.layers[i].fold()
		}
	}
	return s
}

// fold combines bias and batch normalization into one linear map:
//
//	gain·(sum + bias - mean)/√(variance + epsilon) + shift = sum·factor + term
func (l *layer) fold() (factors, terms []float32) {
	factors, terms = make([]float32, l.out), make([]float32, l.out)
	for j := range factors {
		factor := float64(l.gain[j]) / math.Sqrt(float64(l.variance[j])+normEpsilon)
		factors[j] = float32(factor)
		terms[j] = float32(float64((float64(l.bias[j])-float64(l.mean[j]))*factor) + float64(l.shift[j]))
	}
	return factors, terms
}

// forward returns the scores of the first rows of s.inputs. They are valid until the next call.
func (s *scorer) forward(rows int) []float32 {
	n := s.model.network
	input := s.inputs[:rows*n.widths[0]]
	for i := range n.layers {
		l := &n.layers[i]
		dst := s.hidden[i%2][:rows*l.out]
		gemm.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, rows, l.out, l.in, 1, input, l.in, l.weight, l.out,
			0, dst, l.out)
		if i == len(n.layers)-1 {
			addBias(dst, l.bias)
			return dst
		}
		for row := range rows {
			s.activate(i, dst[row*l.out:][:l.out])
		}
		input = dst
	}
	return nil
}

// activate computes a hidden layer's outputs from its sums, for one row.
func (s *scorer) activate(layer int, values []float32) {
	l := &s.model.network.layers[layer]
	switch {
	case l.gain == nil:
		addRelu(values, l.bias)
	case l.variance != nil:
		affineRelu(values, values, s.factors[layer], s.terms[layer])
	default:
		normalizeRow(values, l.bias)
		affineRelu(values, values, l.gain, l.shift)
	}
}

// Score writes the score of each row to dst. rows holds raw feature values, row-major: row i is
// rows[i*n:(i+1)*n] with n = m.NumFeatures(). The score of a row does not depend on the other rows of the
// call. Score allocates only in its first calls.
//
// It is an error if a value is infinite, if one is NaN and the model was trained with nan=error, and if
// lengths do not fit.
func (m *Model) Score(dst, rows []float64) error {
	n := m.NumFeatures()
	if len(rows) != len(dst)*n {
		return fmt.Errorf("rows has length %d, want %d (%d rows × %d features)", len(rows), len(dst)*n,
			len(dst), n)
	}
	s := m.scorers.Get().(*scorer)
	defer m.scorers.Put(s)
	for from := 0; from < len(dst); from += scoreBlock {
		to := min(len(dst), from+scoreBlock)
		for row := from; row < to; row++ {
			if err := s.take(row-from, row, rows[row*n:(row+1)*n]); err != nil {
				return err
			}
		}
		s.write(dst[from:to])
	}
	return nil
}

// take converts the raw values of a row to inputs, and stores them at a place of the block.
func (s *scorer) take(place, row int, values []float64) error {
	for f, x := range values {
		if math.IsInf(x, 0) {
			return &valueError{row, strconv.Itoa(f), isInfinite}
		}
		s.compressed[f] = compress(x)
	}
	return s.model.inputs.nanError(row, s.model.inputs.standardize(s.inputAt(place), s.compressed))
}

// inputAt returns the inputs of the row at a place of the block.
func (s *scorer) inputAt(place int) []float32 {
	n := s.model.NumFeatures()
	return s.inputs[place*n:][:n]
}

// write scores the first len(dst) rows of the block.
func (s *scorer) write(dst []float64) {
	for i, score := range s.forward(len(dst)) {
		if dst[i] = float64(score); s.model.probable {
			dst[i] = s.model.calibration.Probability(dst[i])
		}
	}
}

// ScoreData writes the score of each row of data to dst. It uses the given number of goroutines (GOMAXPROCS
// if threads is below 1); scores do not depend on it. Features that data lacks count as zero, and features
// that the model does not have are ignored.
//
// It is an error if a value is NaN and the model was trained with nan=error, and if lengths do not fit.
func (m *Model) ScoreData(dst []float64, data Data, threads int) error {
	if len(dst) != data.Values.NumRows() {
		return fmt.Errorf("dst has length %d for %d rows", len(dst), data.Values.NumRows())
	}
	blocks := (len(dst) + scoreBlock - 1) / scoreBlock
	pool := par.New(min(par.Threads(threads), max(1, blocks)))
	defer pool.Close()
	errs := make([]error, blocks)
	pool.Run(blocks, func(_, i int) {
		errs[i] = m.scoreBlock(dst, data.Values, i*scoreBlock, min(len(dst), (i+1)*scoreBlock))
	})
	return inFile(data.Meta, cmp.Or(errs...))
}

// scoreBlock scores the rows [from, to) of v.
func (m *Model) scoreBlock(dst []float64, v *Values, from, to int) error {
	s := m.scorers.Get().(*scorer)
	defer m.scorers.Put(s)
	for row := from; row < to; row++ {
		if err := m.inputs.nanError(row, m.inputs.standardize(s.inputAt(row-from), v.row(row))); err != nil {
			return err
		}
	}
	s.write(dst[from:to])
	return nil
}
