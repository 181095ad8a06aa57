package booster

import (
	"fmt"
	"strconv"

	"github.com/lambdamart/lambdamart/param"
)

// OwnSeed is the seed of one kind of random draws. The zero OwnSeed is the seed of all others,
// Params.Seed; [SeedOf] makes another one.
type OwnSeed struct {
	own  bool
	seed uint64
}

// SeedOf returns the seed of one kind of draws that differs from that of all others.
func SeedOf(seed uint64) OwnSeed { return OwnSeed{true, seed} }

// or returns the seed, which is the given one unless it has a value of its own.
func (s OwnSeed) or(seed uint64) uint64 {
	if s.own {
		return s.seed
	}
	return seed
}

// sameSeed is the text of an OwnSeed that is Params.Seed.
const sameSeed = "seed"

// seedValue is a [param.Value] whose text is "seed" or a number.
type seedValue struct{ dst *OwnSeed }

func (v seedValue) Set(text string) error {
	if text == sameSeed {
		*v.dst = OwnSeed{}
		return nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number that is not negative, or %s for that of the parameter seed",
			sameSeed)
	}
	*v.dst = SeedOf(seed)
	return nil
}

func (v seedValue) String() string {
	if !v.dst.own {
		return sameSeed
	}
	return strconv.FormatUint(v.dst.seed, 10)
}

func (v seedValue) Check() error  { return nil }
func (v seedValue) Range() string { return sameSeed + ", or a whole number" }
func (v seedValue) Type() string  { return "number" }

// Seeds are the seeds of single kinds of draws, for those who want to vary one and keep the others.
type Seeds struct {
	DataRandomSeed      OwnSeed // rows from which bins are found
	BaggingSeed         OwnSeed // bags, and the rows of one-side sampling
	FeatureFractionSeed OwnSeed // features of a tree
	DropSeed            OwnSeed // trees that dart drops
	ObjectiveSeed       OwnSeed // what objectives draw
	ExtraSeed           OwnSeed // thresholds of extremely randomized trees
}

// plus returns the seeds of model k of an ensemble, from 0.
func (s Seeds) plus(k uint64) Seeds {
	for _, seed := range []*OwnSeed{&s.DataRandomSeed, &s.BaggingSeed, &s.FeatureFractionSeed, &s.DropSeed,
		&s.ObjectiveSeed, &s.ExtraSeed} {
		if seed.own {
			seed.seed += k
		}
	}
	return s
}

// table returns the parameters, bound to the fields of s.
func (s *Seeds) table() param.Table {
	row := func(name, help string, dst *OwnSeed, aliases ...string) param.Parameter {
		return param.Parameter{Name: name, Aliases: aliases, Group: groupSampling, Help: help,
			Value: seedValue{dst}}
	}
	return param.Table{
		row("data_random_seed", "Seed of the rows from which bins are found.", &s.DataRandomSeed, "data_seed"),
		row("bagging_seed", "Seed of the bags, and of data_sample_strategy=goss.", &s.BaggingSeed,
			"bagging_fraction_seed"),
		row("feature_fraction_seed", "Seed of the features of a tree or of a leaf.", &s.FeatureFractionSeed),
		row("drop_seed", "Seed of the trees that boosting=dart drops.", &s.DropSeed),
		row("objective_seed", "Seed of what objectives draw.", &s.ObjectiveSeed),
		row("extra_seed", "Seed of the thresholds of extra_trees.", &s.ExtraSeed),
	}
}
