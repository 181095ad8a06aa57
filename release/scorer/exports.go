//go:build wasip1

package main

import (
	"fmt"
	"unsafe"
)

// main is not run in a reactor.
func main() {}

var (
	models []*scorer
	held   = map[uint32][]float64{} // allocated memory by pointer; of float64, so that rows are aligned
	last   []byte                   // text of the last error
)

// fail stores an error and returns the number that reports one.
func fail(err error) int32 {
	last = append([]byte(err.Error()), 0)
	return -1
}

//go:wasmexport allocate
func allocate(size int32) uint32 {
	if size < 0 {
		return 0
	}
	block := make([]float64, max(1, (int(size)+7)/8))
	pointer := uint32(uintptr(unsafe.Pointer(&block[0])))
	held[pointer] = block
	return pointer
}

//go:wasmexport release
func release(pointer uint32) { delete(held, pointer) }

// block returns the first n values of the memory allocated at a pointer.
func block(pointer uint32, n int64) ([]float64, error) {
	b, found := held[pointer]
	if !found || n < 0 || n > int64(len(b)) {
		return nil, fmt.Errorf("no memory for %d numbers was allocated at %d", n, pointer)
	}
	return b[:n], nil
}

//go:wasmexport load
func loadModel(pointer uint32, size int32) int32 {
	b, err := block(pointer, (int64(size)+7)/8)
	if err != nil || size <= 0 {
		return fail(fmt.Errorf("load: %d bytes: %w", size, err))
	}
	s, err := load(unsafe.Slice((*byte)(unsafe.Pointer(&b[0])), size))
	if err != nil {
		return fail(err)
	}
	models = append(models, s)
	return int32(len(models) - 1)
}

// find returns the model with a number.
func find(number int32) (*scorer, error) {
	if number < 0 || int(number) >= len(models) {
		return nil, fmt.Errorf("there is no model %d", number)
	}
	return models[number], nil
}

//go:wasmexport width
func width(number int32) int32 {
	s, err := find(number)
	if err != nil {
		return fail(err)
	}
	return int32(s.width())
}

//go:wasmexport score
func score(number int32, rows uint32, n int32, scores uint32) int32 {
	s, err := find(number)
	if err != nil {
		return fail(err)
	}
	if n == 0 {
		return 0
	}
	values, err := block(rows, int64(n)*int64(s.width()))
	if err != nil {
		return fail(err)
	}
	results, err := block(scores, int64(n))
	if err != nil {
		return fail(err)
	}
	if err := s.score(results, values); err != nil {
		return fail(err)
	}
	return 0
}

//go:wasmexport message
func message() uint32 {
	if last == nil {
		last = []byte{0}
	}
	return uint32(uintptr(unsafe.Pointer(&last[0])))
}

//go:wasmexport message_size
func messageSize() int32 { return int32(max(0, len(last)-1)) }
