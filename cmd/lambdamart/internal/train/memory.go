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
	return shape.Memory(p)
}

// checkMemory returns an error if a training run of trees needs more memory than is available. Stored bins
// count, although the system can drop their pages: each iteration would read them again.
func checkMemory(p *booster.Params, all *data.Loaded) error {
	return limits.Check(memory(p, all), "training",
		"smaller num_leaves= and max_bin= need less, and several machines can share the rows")
}
