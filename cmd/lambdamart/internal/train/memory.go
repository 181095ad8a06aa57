package train

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/io/data"
)

// memory estimates the memory, in bytes, of a training run of trees.
func memory(p *booster.Params, all *data.Loaded) int {
	shape := booster.ShapeOf(all.Mapper, all.Training.Meta.NumRows())
	for _, s := range all.Validation {
		shape.ValidRows += s.Meta.NumRows()
	}
	return shape.Footprint(p).Memory
}

// checkMemory returns an error if a training run of trees needs more memory than is available. It does not
// count stored bins, which are mapped and can be dropped by the system, nor the memory that a training run
// omits if the file does not fit into memory.
func checkMemory(p *booster.Params, all *data.Loaded) error {
	bytes := memory(p, all)
	for _, s := range append([]*data.Set{all.Training}, all.Validation...) {
		shape := booster.ShapeOf(all.Mapper, s.Meta.NumRows())
		switch {
		case s == all.Training && s.Bins.IsOnDisk():
			bytes -= shape.Footprint(p).OnDisk
		case s.Stored:
			bytes -= shape.Rows * shape.RowBytes
		}
	}
	return limits.Check(bytes, "training",
		"smaller num_leaves= and max_bin= need less, and bins stored by lambdamart bin are not kept in memory")
}
