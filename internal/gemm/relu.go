package gemm

// AddReLU adds a bias to each column of a matrix, and sets what is below 0 to 0. The
// matrix is stored by rows of len(bias) values. NaN stays NaN.
func AddReLU(values, bias []float32) {
	if len(bias) == 0 {
		return
	}
	rows, whole := len(values)/len(bias), wholeVectors(len(bias))
	values = values[:rows*len(bias)]
	if whole > 0 && rows > 0 {
		addReLU8(&values[0], &bias[0], rows, len(bias)*floatBytes, whole/vectorLanes)
	}
	addReLU(values, bias, whole)
}

// addReLU is AddReLU of the columns from first on.
func addReLU(values, bias []float32, first int) {
	for ; len(values) > 0 && first < len(bias); values = values[len(bias):] {
		for i := first; i < len(bias); i++ {
			v := values[i] + bias[i]
			if v < 0 {
				v = 0
			}
			values[i] = v
		}
	}
}

// ReLUGradient turns derivatives by outputs of ReLU into derivatives by what it took:
// it multiplies them by scale where the output is above 0, and sets them to 0
// elsewhere. The outputs may be those of dropout after ReLU, and scale its factor.
func ReLUGradient(gradient, outputs []float32, scale float32) {
	outputs = outputs[:len(gradient)]
	whole := wholeVectors(len(gradient))
	if whole > 0 {
		reLUGradient8(&gradient[0], &outputs[0], whole/vectorLanes, scale)
	}
	reLUGradient(gradient[whole:], outputs[whole:], scale)
}

// reLUGradient is ReLUGradient in Go.
func reLUGradient(gradient, outputs []float32, scale float32) {
	for i, o := range outputs {
		if o > 0 {
			gradient[i] *= scale
		} else {
			gradient[i] = 0
		}
	}
}

// AddRows adds rows of len(sums) values to sums, one after the other. Rows begin
// distance values after each other.
func AddRows(sums, values []float32, rows, distance int) {
	if len(sums) == 0 || rows <= 0 {
		return
	}
	if distance < len(sums) {
		panic("gemm: rows overlap")
	}
	values = values[:(rows-1)*distance+len(sums)]
	whole := wholeVectors(len(sums))
	if whole > 0 {
		addRows8(&sums[0], &values[0], rows, distance*floatBytes, whole/vectorLanes)
	}
	addRows(sums[whole:], values[whole:], rows, distance)
}

// addRows is AddRows in Go.
func addRows(sums, values []float32, rows, distance int) {
	for i := 0; i < rows && len(sums) > 0; i++ {
		for j, v := range values[i*distance:][:len(sums)] {
			sums[j] += v
		}
	}
}

// Dropout sets a value to 0 where its random number is below dropped, and multiplies
// it by scale elsewhere. Each value takes 16 bits of random, low bits first.
func Dropout(values []float32, random []uint64, dropped int, scale float32) {
	random = random[:(len(values)+drawsPerWord-1)/drawsPerWord]
	whole := wholeVectors(len(values))
	if whole > 0 {
		dropout8(&values[0], &random[0], whole/vectorLanes, dropped, scale)
	}
	dropout(values, random, whole, dropped, scale)
}

const drawsPerWord = 4

// dropout is Dropout of the values from first on.
func dropout(values []float32, random []uint64, first, dropped int, scale float32) {
	for i := first; i < len(values); i++ {
		if draw := int(random[i/drawsPerWord] >> (i % drawsPerWord * 16) & 0xffff); draw < dropped {
			values[i] = 0
		} else {
			values[i] *= scale
		}
	}
}

// wholeVectors returns how many of n values the vector instructions of this CPU take.
func wholeVectors(n int) int {
	if best.instructions == none {
		return 0
	}
	return n / vectorLanes * vectorLanes
}
