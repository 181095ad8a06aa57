// Package rowblock prepares blocks of rows for scoring by a model: it transposes rows to columns, finds
// infinities, compares the values of a column with the thresholds of a model, and sends rows down a tree by
// the results. It also sends a single row down many trees.
//
// Kernels for AVX2 handle 4 or 8 values, or the bits of 256 rows, with one instruction. The kernel for a
// single row compares 56 nodes with one instruction of AVX-512. Comparisons are exact, so kernels give the
// same bits as the loops in Go. The program in _generate, a module of its own, writes
// kernel_amd64.s and kernel_amd64.go.
package rowblock

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg rowblock

import (
	"math"
	"unsafe"
)

// Values is the number of values that are compared together: the bits of a map.
const Values = 64

// Float is a type of values.
type Float interface{ float32 | float64 }

// Maps writes a map for each threshold: bit i is set unless values[i] <= threshold, so it is set if the value
// is NaN. Before that, missing replaces each NaN, for which values may be changed. Thresholds are not NaN.
// The map of threshold i is maps[i*stride].
func Maps[F Float](maps []uint64, stride int, values *[Values]F, missing F, thresholds []F) {
	if len(thresholds) == 0 {
		return
	}
	maps = maps[:(len(thresholds)-1)*stride+1]
	if !HasKernel {
		mapsInGo(maps, stride, values, missing, thresholds)
		return
	}
	switch values := any(values).(type) {
	case *[Values]float32:
		maps32(&maps[0], 8*stride, &values[0], float32(missing), &any(thresholds).([]float32)[0], len(thresholds))
	case *[Values]float64:
		maps64(&maps[0], 8*stride, &values[0], float64(missing), &any(thresholds).([]float64)[0], len(thresholds))
	}
}

// mapsInGo is the definition of [Maps].
func mapsInGo[F Float](maps []uint64, stride int, values *[Values]F, missing F, thresholds []F) {
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
		maps[i*stride] = m
	}
}

// MostThresholds returns the number of thresholds up to which [Maps] takes less time than a search for the
// rank of each value; 0 if there is no kernel.
func MostThresholds[F Float]() int {
	_, single := any(F(0)).(float32)
	switch {
	case !HasKernel:
		return 0
	case has512:
		return 255
	case single:
		return 128
	}
	return 80
}

// Words is the number of neighboring maps of 64 rows that [Leaves] uses as one map.
const Words = 4

// Leaves sends Words*Values rows down the nodes of a tree, which has up to 256 leaves. It must not be called
// unless HasKernel.
//
// All rows begin in slot 0. Node i splits the rows of a slot, the lowest byte of nodes[i]: those in the map
// of the node's condition move to slot i+1. The other bits of a node are the number of its condition. The map
// of condition c is maps[c*Words:][:Words]; slots has the maps of slots in the same form. codes gets a byte
// for each row, the Gray code j^(j>>1) of its slot j: bits 8*g to 8*g+7 of codes[i*Words+w] are the code of
// row w*Values+8*g+i.
func Leaves(codes *[8 * Words]uint64, slots *[(256 + 8) * Words]uint64, maps []uint64, nodes []uint32) {
	if len(nodes) > 255 {
		panic("rowblock: a tree has too many leaves")
	}
	leaves256(&codes[0], &slots[0], unsafe.SliceData(maps), unsafe.SliceData(nodes), len(nodes))
}

// Width is the number of columns that are transposed together.
const Width = 8

// Columns writes Width columns of up to Values rows, beginning with column first. rows is row-major with
// stride >= first+Width values a row. The values after the last row of a column are not changed.
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

// columnsInGo is the definition of [Columns] for the rows from i on.
func columnsInGo[F Float](columns *[Width][Values]F, rows []F, stride, first, i int) {
	for ; (i+1)*stride <= len(rows); i++ {
		for j, v := range rows[i*stride+first:][:Width] {
			columns[j][i] = v
		}
	}
}

// Infinite returns the index of the first infinite value, or -1.
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
