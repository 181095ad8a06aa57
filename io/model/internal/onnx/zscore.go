package onnx

import "math"

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
