// Command _generate writes the assembly of package walk; go generate ./internal/walk runs it. It is a module
// of its own, so that the product does not depend on avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of a plan and a test in package walk.
const (
	planRows, planStride, planTiles      = 0, 8, 16
	planGroups, planNumGroups            = 24, 32
	planTests, planNumTests              = 40, 48
	planLeaves, planNumLeaves            = 56, 64
	planTile, planMasks, planLeafOf      = 72, 80, 88
	testColumn, testLeft, testRight      = 0, 4, 8
	testBin, testMask                    = 12, 13
	testException, testExcepts, testSize = 14, 15, 16
)

const line = 64 // bytes of a line of the cache

func main() {
	ConstraintExpr("!purego")
	avx512()
	avx2()
	Generate()
}

// begin begins a function.
func begin(name string) (plan reg.GPVirtual) {
	TEXT(name, NOSPLIT, "func(p *int)")
	Doc(name + " does for the rows of a plan what [byteTree.leavesInGo] does.")
	Pragma("noescape")
	return Load(Param("p"), GP64()).(reg.GPVirtual)
}

// at returns a field of what a register points to.
func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// field loads a field of the plan.
func field(plan reg.GPVirtual, offset int) reg.GPVirtual {
	r := GP64()
	MOVQ(at(plan, offset), r)
	return r
}

// load32 loads an offset.
func load32(m Mem) reg.GPVirtual {
	r := GP32()
	MOVL(m, r)
	return r.As64().(reg.GPVirtual)
}
