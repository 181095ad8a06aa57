package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// contextColumns is the metadata key for the columns that the graph computes: a JSON list of kinds and
// feature numbers, such as [["rank",3],["count",0]].
const contextColumns = "query_context"

// tableName is the matrix of the features and the columns of query context, in graphs that compute them.
const tableName = "table"

// usedContext returns the columns of query context that the trees use.
func usedContext(e *tree.Ensemble) (columns []int) {
	for _, f := range e.UsedFeatures() {
		if f >= e.Context.Raw {
			columns = append(columns, f-e.Context.Raw)
		}
	}
	slices.Sort(columns)
	return columns
}

// formulas are the nodes of a graph, and the constants that they need.
type formulas struct {
	nodes, constants []byte            // fields of the graph
	names            map[string]string // of results and constants, by what they are
	scored           []int             // features whose z-scores are needed, ascending
}

// addContext adds the nodes that compute the columns of e, of which the last computes the matrix tableName.
// The input is the rows of one query. Unused columns are copies of the first feature.
func (f *formulas) addContext(e *tree.Ensemble) {
	used := usedContext(e)
	for _, i := range used {
		if c := e.Context.List[i]; c.Kind == querycontext.ZScore {
			f.scored = append(f.scored, c.Feature)
		}
	}
	slices.Sort(f.scored)
	columns := []string{inputName}
	for i, c := range e.Context.List {
		if _, is := slices.BinarySearch(used, i); !is {
			c = querycontext.Column{}
		}
		columns = append(columns, f.column(c))
	}
	f.add("Concat", columns, appendIntAttribute(nil, "axis", 1), tableName)
}

// column returns the name of the column c, or of a copy of the feature if c has no kind.
func (f *formulas) column(c querycontext.Column) string {
	x := f.features([]int{c.Feature})
	if c.Kind == "" {
		return x
	}
	there := f.op("Equal", x, x) // NaN is not
	var value string
	switch c.Kind {
	case querycontext.Rank:
		others := f.op("Transpose", x)
		below, equal := f.count(f.op("Less", others, x), 1), f.count(f.op("Equal", others, x), 1)
		twice := f.op("Add", f.op("Add", below, below), equal)
		all := f.count(there, 0)
		value = f.op("Div", twice, f.op("Add", all, all))
	case querycontext.ZScore:
		place, _ := slices.BinarySearch(f.scored, c.Feature)
		value = f.columns(f.zscores(), place)
	case querycontext.GapToBest:
		value = f.op("Min", f.op("Sub", f.largest(x, there), x), f.number(math.MaxFloat64))
	case querycontext.MaxRatio:
		size := f.largest(f.op("Abs", x), there)
		value = f.op("Where", f.op("Equal", size, f.number(0)), f.number(0), f.op("Div", x, size))
	case querycontext.Linear:
		value = f.linear(x, there)
	case querycontext.Count:
		n := f.op("Add", f.count(there, 0), f.count(f.op("Not", there), 0))
		return f.op("Where", there, n, n) // one for each row
	}
	return f.op("Where", there, value, f.number(math.NaN()))
}

// linear computes querycontext.Linear, with halved values if the range exceeds that of float64.
func (f *formulas) linear(x, there string) string {
	low, high := f.smallest(x, there), f.largest(x, there)
	half := func(of string) string { return f.op("Mul", of, f.number(0.5)) }
	plain := f.op("Div", f.op("Sub", x, low), f.op("Sub", high, low))
	halved := f.op("Div", f.op("Sub", half(x), half(low)), f.op("Sub", half(high), half(low)))
	wide := f.op("Less", f.number(math.MaxFloat64), f.op("Sub", high, low))
	return f.op("Where", f.op("Equal", low, high), f.number(0), f.op("Where", wide, halved, plain))
}

// largest returns the name of the largest non-missing value of each column, a matrix of one row.
func (f *formulas) largest(x, there string) string {
	return f.node("ReduceMax", []string{f.op("Where", there, x, f.number(math.Inf(-1)))},
		appendInts(nil, "axes", []int64{0}))
}

func (f *formulas) smallest(x, there string) string {
	return f.node("ReduceMin", []string{f.op("Where", there, x, f.number(math.Inf(1)))},
		appendInts(nil, "axes", []int64{0}))
}

// count returns the number of true values along an axis. Sums of ones are exact in any order.
func (f *formulas) count(truth string, axis int64) string {
	return f.node("ReduceSum", []string{f.cast(truth, elementDouble)}, appendInts(nil, "axes", []int64{axis}))
}

// cast returns the name of values as numbers of another type.
func (f *formulas) cast(values string, element int) string {
	return f.node("Cast", []string{values}, appendIntAttribute(nil, "to", int64(element)))
}

// features returns the name of the columns of features.
func (f *formulas) features(numbers []int) string { return f.columns(inputName, numbers...) }

// columns returns the name of some columns of a matrix.
func (f *formulas) columns(of string, numbers ...int) string {
	return f.node("Gather", []string{of, f.indexes(numbers...)}, appendIntAttribute(nil, "axis", 1))
}

// indexes returns the name of a constant vector of integers.
func (f *formulas) indexes(numbers ...int) string {
	bits := make([]uint64, len(numbers))
	for i, n := range numbers {
		bits[i] = uint64(n)
	}
	return f.constant(fmt.Sprintf("indexes %d", numbers), elementInt64, bits...)
}

// number returns the name of a constant.
func (f *formulas) number(v float64) string {
	return f.vector(fmt.Sprintf("number %v", v), []float64{v})
}

// constant returns the name of a vector, which it adds if it is new.
func (f *formulas) constant(key string, element int, bits ...uint64) string {
	name, known := f.name(key)
	if !known {
		var raw []byte
		for _, b := range bits {
			raw = binary.LittleEndian.AppendUint64(raw, b)
		}
		tensor := appendVarint(nil, tensorDims, uint64(len(bits)))
		tensor = appendVarint(tensor, tensorDataType, uint64(element))
		tensor = appendString(tensor, tensorName, name)
		tensor = appendBytes(tensor, tensorRaw, raw)
		f.constants = appendBytes(f.constants, graphInitializer, tensor)
	}
	return name
}

// op returns the name of the result of a node without attributes, which it adds if it is new.
func (f *formulas) op(operator string, inputs ...string) string { return f.node(operator, inputs, nil) }

// node is like op, for a node with attributes.
func (f *formulas) node(operator string, inputs []string, attributes []byte) string {
	name, known := f.name(fmt.Sprintf("%s %v %x", operator, inputs, attributes))
	if !known {
		f.add(operator, inputs, attributes, name)
	}
	return name
}

// name returns the name for a key, and whether it existed before.
func (f *formulas) name(key string) (name string, known bool) {
	if name, known = f.names[key]; !known {
		name = "v" + strconv.Itoa(len(f.names))
		f.names[key] = name
	}
	return name, known
}

// add adds a node whose results have the given names.
func (f *formulas) add(operator string, inputs []string, attributes []byte, results ...string) {
	f.nodes = appendBytes(f.nodes, graphNode, node(operator, inputs, attributes, results...))
}

// node returns a NodeProto.
func node(operator string, inputs []string, attributes []byte, results ...string) []byte {
	var b []byte
	for _, input := range inputs {
		b = appendString(b, nodeInput, input)
	}
	for _, result := range results {
		b = appendString(b, nodeOutput, result)
	}
	return append(appendString(b, nodeOpType, operator), attributes...)
}

// contextList returns the metadata of the columns.
func contextList(c *querycontext.Columns) [][2]any {
	list := [][2]any{}
	for _, column := range c.List {
		list = append(list, [2]any{column.Kind, column.Feature})
	}
	return list
}

// A z-score needs sums, and ONNX does not define the order in which ReduceSum adds. Scan is a loop that runs
// its body for one row after the other. So values are sorted as in package querycontext and added in that
// order, with one rounding per addition, and the sums are equal in every bit. One loop handles all features
// together.

// zscores returns the name of the matrix of the z-scores of f.scored. It is meaningless where values are
// missing.
func (f *formulas) zscores() string {
	x := f.features(f.scored)
	there := f.op("Equal", x, x)
	low, high := f.smallest(x, there), f.largest(x, there)
	scale, n := f.largest(f.op("Abs", x), there), f.count(there, 0)

	ordered := f.sorted(x, there)
	counts := f.op("Less", ordered, f.number(math.Inf(1))) // missing values are behind the others
	only := func(values string) string { return f.op("Where", counts, values, f.number(0)) }
	scaled := f.op("Div", ordered, scale)
	mean := f.op("Div", f.sum(only(scaled)), n)
	difference := f.op("Sub", scaled, mean)
	variance := f.op("Div", f.sum(only(f.op("Mul", difference, difference))), n)
	deviation := f.op("Sqrt", variance)

	value := f.op("Div", f.op("Sub", f.op("Div", x, scale), mean), deviation)
	same := f.op("Or", f.op("Equal", low, high), f.op("Equal", deviation, f.number(0)))
	return f.op("Where", same, f.number(0), value)
}

// sorted returns the name of the columns of x, each ascending, with infinity in place of missing values.
func (f *formulas) sorted(x, there string) string {
	values, known := f.name("sorted")
	if !known {
		rows := f.node("Gather", []string{f.op("Shape", inputName), f.indexes(0)},
			appendIntAttribute(nil, "axis", 0))
		attributes := appendIntAttribute(nil, "axis", 0)
		attributes = appendIntAttribute(attributes, "largest", 0)
		attributes = appendIntAttribute(attributes, "sorted", 1)
		f.add("TopK", []string{f.op("Where", there, x, f.number(math.Inf(1))), rows}, attributes, values,
			values+"_rows")
	}
	return values
}

// sum returns the name of the sums of the columns of values, added from the first row to the last.
func (f *formulas) sum(values string) string {
	zeros := f.constant("zeros", elementDouble, make([]uint64, len(f.scored))...)
	attributes := appendAttribute(nil, "body", typeGraph, appendBytes(nil, attributeGraph, adding))
	return f.node("Scan", []string{zeros, values}, appendIntAttribute(attributes, "num_scan_inputs", 1))
}

// adding is the body of the loop that sums: a graph whose result is its first input plus its second.
var adding = func() []byte {
	b := appendBytes(nil, graphNode, node("Add", []string{"sum", "row"}, nil, "next"))
	b = appendString(b, graphName, "adding")
	vector := func(name string) []byte {
		tensor := appendVarint(nil, tensorElement, elementDouble)
		return appendBytes(appendString(nil, valueName, name), valueType, appendBytes(nil, typeTensorType, tensor))
	}
	b = appendBytes(b, graphInput, vector("sum"))
	b = appendBytes(b, graphInput, vector("row"))
	return appendBytes(b, graphOutput, vector("next"))
}()
