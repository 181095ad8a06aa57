package booster

import (
	"fmt"
	"strconv"

	"github.com/lambdamart/lambdamart/param"
)

// groupSampling is a heading of the documentation.
const groupSampling = "Sampling"

// seedOr returns the seed of one kind of draws: its own if it has one, and otherwise the common seed.
func seedOr(own *uint64, seed uint64) uint64 {
	if own != nil {
		return *own
	}
	return seed
}

// sameSeed is the text of a seed that follows Params.Seed.
const sameSeed = "seed"

// seedValue is a [param.Value] whose text is "seed" or a number.
type seedValue struct{ dst **uint64 }

func (v seedValue) Set(text string) error {
	if text == sameSeed {
		*v.dst = nil
		return nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number that is not negative, or %s for that of the parameter seed",
			sameSeed)
	}
	*v.dst = &seed
	return nil
}

func (v seedValue) String() string {
	if *v.dst == nil {
		return sameSeed
	}
	return strconv.FormatUint(**v.dst, 10)
}

func (v seedValue) Check() error  { return nil }
func (v seedValue) Range() string { return sameSeed + ", or a whole number" }
func (v seedValue) Type() string  { return "number" }

// Seeds are the seeds of single kinds of draws, so that one can be varied while the others stay. A seed that
// is nil follows Params.Seed.
type Seeds struct {
	DataRandomSeed      *uint64 // rows from which bins are found
	BaggingSeed         *uint64 // bags
	FeatureFractionSeed *uint64 // features of a tree
	DropSeed            *uint64 // trees that dart drops
	ObjectiveSeed       *uint64 // what objectives draw
	ExtraSeed           *uint64 // thresholds of extremely randomized trees
}

// plus returns the seeds of model k of an ensemble, from 0.
func (s Seeds) plus(k uint64) Seeds {
	for _, seed := range []**uint64{&s.DataRandomSeed, &s.BaggingSeed, &s.FeatureFractionSeed, &s.DropSeed,
		&s.ObjectiveSeed, &s.ExtraSeed} {
		if *seed != nil {
			*seed = new(**seed + k)
		}
	}
	return s
}

// table returns the parameters, bound to the fields of s.
func (s *Seeds) table() param.Table {
	row := func(name, help string, dst **uint64, aliases ...string) param.Parameter {
		return param.Parameter{Name: name, Aliases: aliases, Group: groupSampling, Help: help,
			Value: seedValue{dst}}
	}
	return param.Table{
		row("data_random_seed", "Seed of the rows from which bins are found.", &s.DataRandomSeed, "data_seed"),
		row("bagging_seed", "Seed of the bags.", &s.BaggingSeed, "bagging_fraction_seed"),
		row("feature_fraction_seed", "Seed of the features of a tree or of a leaf.", &s.FeatureFractionSeed),
		row("drop_seed", "Seed of the trees that boosting=dart drops.", &s.DropSeed),
		row("objective_seed", "Seed of what objectives draw.", &s.ObjectiveSeed),
		row("extra_seed", "Seed of the thresholds of extra_trees.", &s.ExtraSeed),
	}
}
