// Package rowblock has what is done with blocks of rows of values before a model scores them: rows are
// transposed to columns, infinities are found, and the values of a column are compared with the thresholds
// of a model, 64 rows at a time.
//
// Kernels for AVX2 handle 4 or 8 values with one instruction. Comparisons are exact, so that kernels give the
// same bits as the loops in Go. The program in _generate, a module of its own, writes kernel_amd64.s and
// kernel_amd64.go.
package rowblock

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg rowblock

import "math"

// Values is the number of values that are compared together: the bits of a map.
const Values = 64

// Float is a type of values.
type Float interface{ float32 | float64 }

// Maps writes a map for each threshold: bit i is set unless values[i] <= threshold, and so also if the
// value is NaN. First missing takes the place of each NaN; values may be changed so. Thresholds are not
// NaN. maps has an entry for each of them.
func Maps[F Float](maps []uint64, values *[Values]F, missing F, thresholds []F) {
	if len(thresholds) == 0 {
		return
	}
	maps = maps[:len(thresholds)]
	if !HasKernel {
		mapsInGo(maps, values, missing, thresholds)
		return
	}
	switch values := any(values).(type) {
	case *[Values]float32:
		maps32(&maps[0], &values[0], float32(missing), &any(thresholds).([]float32)[0], len(thresholds))
	case *[Values]float64:
		maps64(&maps[0], &values[0], float64(missing), &any(thresholds).([]float64)[0], len(thresholds))
	}
}

// mapsInGo is the definition of [Maps].
func mapsInGo[F Float](maps []uint64, values *[Values]F, missing F, thresholds []F) {
	for j, v := range values {
		if v != v {
			values[j] = missing
		}
	}
	for i, t := range thresholds {
		m := uint64(0)
		for j, v := range values {
			if !(v <= t) {
				m |= 1 << j
			}
		}
		maps[i] = m
	}
}

// Width is the number of columns that are transposed together.
const Width = 8

// Columns writes Width columns of up to Values rows, beginning with column first. rows is row-major with
// stride >= first+Width values a row. What follows the last row in a column is kept.
func Columns[F Float](columns *[Width][Values]F, rows []F, stride, first int) {
	n := len(rows) / stride
	done := 0
	if HasKernel {
		switch to := any(columns).(type) {
		case *[Width][Values]float32:
			if done = n &^ 7; done > 0 {
				columns32(&to[0][0], &any(rows[first:]).([]float32)[0], 4*stride, done/8)
			}
		case *[Width][Values]float64:
			if done = n &^ 3; done > 0 {
				columns64(&to[0][0], &any(rows[first:]).([]float64)[0], 8*stride, done/4)
			}
		}
	}
	columnsInGo(columns, rows, stride, first, done)
}

// columnsInGo is the definition of [Columns] for the rows from number i on.
func columnsInGo[F Float](columns *[Width][Values]F, rows []F, stride, first, i int) {
	for ; (i+1)*stride <= len(rows); i++ {
		for j, v := range rows[i*stride+first:][:Width] {
			columns[j][i] = v
		}
	}
}

// Infinite returns the place of the first value that is infinite, or -1.
func Infinite[F Float](values []F) int {
	done := 0
	if HasKernel {
		switch v := any(values).(type) {
		case []float32:
			if n := len(v) / 8; n > 0 && !infinite32(&v[0], n) {
				done = 8 * n
			}
		case []float64:
			if n := len(v) / 4; n > 0 && !infinite64(&v[0], n) {
				done = 4 * n
			}
		}
	}
	for i, v := range values[done:] {
		if math.IsInf(float64(v), 0) {
			return done + i
		}
	}
	return -1
}
