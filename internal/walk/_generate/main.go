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
	for _, general := range []bool{false, true} {
		avx512(general)
		avx2(general)
	}
	Generate()
}

// begin begins a function, whose name ends with the kind of tests that it has.
func begin(name string, general bool) (plan reg.GPVirtual) {
	suffix, doc := "Plain", "whose tests compare whole bytes."
	if general {
		suffix, doc = "", "whose tests may have masks and exceptions."
	}
	TEXT(name+suffix, NOSPLIT, "func(p *int)")
	Doc(name + suffix + " is [plan.leavesInGo] for a tree " + doc)
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
