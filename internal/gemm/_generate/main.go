// Command _generate writes the assembly of package gemm. go generate ./internal/gemm runs it. It is
// a module of its own, so that the main module does not depend on avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

const (
	float  = 4         // bytes of a float32
	vector = 8 * float // bytes of an AVX2 vector
)

func main() {
	ConstraintExpr("!purego")
	avx2 := kernel{name: "AVX2", bytes: vector, rows: 6, register: YMM}
	avx2.zero = func(x Op) { VXORPS(x, x, x) }
	avx2.write()
	avx512 := kernel{name: "AVX512", bytes: 64, rows: 12, register: ZMM}
	avx512.zero = func(x Op) { VPXORD(x, x, x) } // VXORPS needs AVX512DQ
	avx512.write()
	transpose()
	adam()
	Generate()
}
