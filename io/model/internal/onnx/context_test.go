package onnx_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/io/model/internal/onnx"
	"github.com/lambdamart/lambdamart/tree"
)

// matrix is a value in a graph. Truths are 0 and 1, and a vector is a row.
type matrix [][]float64

// at returns an element of the matrix, which is repeated if it has one row or one column.
func (m matrix) at(row, column int) float64 {
	row = min(row, len(m)-1)
	return m[row][min(column, len(m[row])-1)]
}

// elementwise returns the values of f, of all matrices at each place.
func elementwise(f func(x []float64) float64, of ...matrix) (result matrix) {
	rows, columns := 1, 1
	for _, m := range of {
		rows, columns = max(rows, len(m)), max(columns, len(m[0]))
	}
	for r := range rows {
		result = append(result, make([]float64, columns))
		for c := range columns {
			var x []float64
			for _, m := range of {
				x = append(x, m.at(r, c))
			}
			result[r][c] = f(x)
		}
	}
	return result
}

func (m matrix) transposed() (result matrix) {
	for c := range m[0] {
		var row []float64
		for r := range m {
			row = append(row, m[r][c])
		}
		result = append(result, row)
	}
	return result
}

// reduced combines the rows of m, or the columns if the axis is 1.
func (m matrix) reduced(axis int64, f func(a, b float64) float64) matrix {
	if axis == 1 {
		return m.transposed().reduced(0, f).transposed()
	}
	result := slices.Clone(m[0])
	for _, row := range m[1:] {
		for c, x := range row {
			result[c] = f(result[c], x)
		}
	}
	return matrix{result}
}

// gathered returns the rows of the given numbers, or the columns if the axis is 1.
func (m matrix) gathered(axis int64, numbers []float64) (result matrix) {
	if axis == 1 {
		return m.transposed().gathered(0, numbers).transposed()
	}
	for _, n := range numbers {
		result = append(result, m[int(n)])
	}
	return result
}

// sorted returns each column in ascending order.
func (m matrix) sorted() matrix {
	columns := m.transposed()
	for _, column := range columns {
		slices.Sort(column)
	}
	return columns.transposed()
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func plus(a, b float64) float64 { return a + b }

var elementwiseOperators = map[string]func(x []float64) float64{
	"Abs":   func(x []float64) float64 { return math.Abs(x[0]) },
	"Add":   func(x []float64) float64 { return x[0] + x[1] },
	"Cast":  func(x []float64) float64 { return x[0] },
	"Div":   func(x []float64) float64 { return x[0] / x[1] },
	"Equal": func(x []float64) float64 { return truth(x[0] == x[1]) },
	"Less":  func(x []float64) float64 { return truth(x[0] < x[1]) },
	"Min":   func(x []float64) float64 { return min(x[0], x[1]) },
	"Mul":   func(x []float64) float64 { return x[0] * x[1] },
	"Not":   func(x []float64) float64 { return 1 - x[0] },
	"Or":    func(x []float64) float64 { return max(x[0], x[1]) },
	"Sqrt":  func(x []float64) float64 { return math.Sqrt(x[0]) },
	"Sub":   func(x []float64) float64 { return x[0] - x[1] },
	"Where": func(x []float64) float64 { return x[2-int(x[0])] },
}

// varint returns a number in a message, 0 if the field is absent.
func varint(message []byte, field uint64) (value int64) {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		content, m := binary.Uvarint(message[n:])
		message = message[n+m:]
		if key&7 != 0 {
			message = message[content:]
		} else if key>>3 == field {
			value = int64(content)
		}
	}
	return value
}

// tableOf returns the matrix of features and columns of query context that the graph of a file computes for
// the rows of a query, by ONNX's definitions of the operators.
func tableOf(t *testing.T, file []byte, query matrix) matrix {
	t.Helper()
	const float64s = 11
	values := map[string]matrix{"input": query}
	for _, tensor := range within(file, 7, 5) {
		var row []float64
		for raw := within(tensor, 9)[0]; len(raw) > 0; raw = raw[8:] {
			if bits := binary.LittleEndian.Uint64(raw); varint(tensor, 2) == float64s {
				row = append(row, math.Float64frombits(bits))
			} else {
				row = append(row, float64(bits))
			}
		}
		values[string(within(tensor, 8)[0])] = matrix{row}
	}
	for _, node := range within(file, 7, 1) {
		var in []matrix
		for _, name := range within(node, 1) {
			in = append(in, values[string(name)])
		}
		if operator := string(within(node, 4)[0]); operator != "TreeEnsembleRegressor" {
			values[string(within(node, 2)[0])] = compute(t, operator, node, in)
		}
	}
	return values["table"]
}

// compute returns the first result of a node.
func compute(t *testing.T, operator string, node []byte, in []matrix) matrix {
	t.Helper()
	g := graph{}
	for _, attribute := range within(node, 5) {
		g[string(within(attribute, 1)[0])] = attribute
	}
	switch operator {
	case "Concat":
		var columns matrix
		for _, m := range in {
			columns = append(columns, m.transposed()...)
		}
		return columns.transposed()
	case "Gather":
		if axis := varint(g["axis"], 3); len(in[0]) > 1 || axis == 1 {
			return in[0].gathered(axis, in[1][0])
		}
		return in[0].gathered(1, in[1][0]) // of a vector
	case "ReduceMax":
		return in[0].reduced(g.ints("axes")[0], math.Max)
	case "ReduceMin":
		return in[0].reduced(g.ints("axes")[0], math.Min)
	case "ReduceSum":
		return in[0].reduced(g.ints("axes")[0], plus)
	case "Scan": // its body adds a row to a sum
		require.Equal(t, []byte("Add"), within(g["body"], 6, 1, 4)[0])
		return append(slices.Clone(in[0]), in[1]...).reduced(0, plus)
	case "Shape":
		return matrix{{float64(len(in[0])), float64(len(in[0][0]))}}
	case "TopK":
		require.Equal(t, matrix{{float64(len(in[0]))}}, in[1])
		return in[0].sorted()
	case "Transpose":
		return in[0].transposed()
	}
	require.Contains(t, elementwiseOperators, operator)
	return elementwise(elementwiseOperators[operator], in...)
}

// queryOf returns the rows of a query: ties, missing values, zeros of both signs, features that are missing
// or equal in all rows, and a range beyond float64.
func queryOf(rng *rand.Rand, features int) matrix {
	query := make(matrix, 1+rng.IntN(12))
	scale := []float64{1, 1, 1, 1e308}[rng.IntN(4)]
	missing, equal := rng.IntN(3*features), rng.IntN(3*features)
	for i := range query {
		for f := range features {
			x := scale * (float64(rng.IntN(7)-3) / 3)
			switch {
			case f == missing || rng.IntN(7) == 0:
				x = math.NaN()
			case f == equal:
				x = 2
			case rng.IntN(9) == 0:
				x = math.Copysign(0, -1)
			}
			query[i] = append(query[i], x)
		}
	}
	return query
}

// widened returns the rows of a query with their columns of query context.
func widened(c *querycontext.Columns, query matrix) (rows matrix) {
	columns := query.transposed()
	for _, column := range c.List {
		var of querycontext.Feature
		of.Set(columns[column.Feature])
		place, values := of.Place(column.Kind), []float64(nil)
		for _, x := range columns[column.Feature] {
			if !math.IsNaN(x) || column.Kind == querycontext.Count {
				x = place(x)
			}
			values = append(values, x)
		}
		columns = append(columns, values)
	}
	return columns.transposed()
}

// TestContextIsComputed: the graph computes the columns that the trees use to the bit, and sends each row to
// the model's leaves.
func TestContextIsComputed(t *testing.T) {
	e := contextual(60, querycontext.Kinds()...)
	file := write(t, e, onnx.Options{Float64: true})
	trees, used := graphOf(file), e.UsedFeatures()
	require.Len(t, used, e.Context.Len(), "the trees use all columns")
	rng := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		query := queryOf(rng, e.Context.Raw)
		want, got := widened(e.Context, query), tableOf(t, file, query)
		for i, row := range want {
			for f, x := range row {
				require.True(t, math.IsNaN(x) && math.IsNaN(got[i][f]) || x == got[i][f],
					"%s of row %d: %v, want %v\n%v", e.Features[f].Name, i, got[i][f], x, query)
			}
			assert.Equal(t, leavesOf(e, row), trees.leaves(got[i]))
		}
	}
}

// leavesOf returns the values of the leaves that a row reaches in the model.
func leavesOf(e *tree.Ensemble, row []float64) (values []float64) {
	for i := range e.Trees {
		values = append(values, e.Trees[i].LeafValue[e.Trees[i].Leaf(row)])
	}
	return values
}
