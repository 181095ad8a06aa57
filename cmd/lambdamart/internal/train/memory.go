package train

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/io/data"
)

// memory returns about how many bytes a training run of trees takes.
func memory(p *booster.Params, all *data.Loaded) int {
	shape := booster.ShapeOf(all.Mapper, all.Training.Meta.NumRows())
	for _, s := range all.Validation {
		shape.ValidRows += s.Meta.NumRows()
	}
	return shape.Footprint(p, 1, 1).Memory
}

// checkMemory returns an error if a training run of trees needs more memory than there is. Stored bins are
// not counted: they are mapped, and the system can drop what it has read of them. Neither is what a training
// run does without where memory does not hold the file.
func checkMemory(p *booster.Params, all *data.Loaded) error {
	bytes := memory(p, all)
	for _, s := range append([]*data.Set{all.Training}, all.Validation...) {
		shape := booster.ShapeOf(all.Mapper, s.Meta.NumRows())
		switch {
		case s == all.Training && s.Bins.IsOnDisk():
			bytes -= shape.Footprint(p, 1, 1).OnDisk
		case s.Stored:
			bytes -= shape.Rows * shape.RowBytes
		}
	}
	return limits.Check(bytes, "training",
		"smaller num_leaves= and max_bin= need less, and bins stored by lambdamart bin are not kept in memory")
}
