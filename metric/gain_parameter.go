package metric

import (
	"errors"

	"github.com/lambdamart/lambdamart/param"
)

// GainValue binds a gain for a parameter table. Its texts are "exp2", "linear", or the gains of the labels
// from 0, separated by commas, as [Gain.String] returns them.
func GainValue(dst *Gain) param.Value { return gainValue{dst} }

type gainValue struct{ dst *Gain }

func (v gainValue) Set(text string) error {
	parsed, err := parseGain(text)
	if err != nil {
		return errors.New("must be exp2, linear, or gains for the grades from 0, at most 1e+290, that never " +
			"fall, such as 0,1,3,7,15")
	}
	*v.dst = parsed
	return nil
}

func (v gainValue) String() string { return v.dst.String() }
func (v gainValue) Check() error   { return nil }
func (v gainValue) Type() string   { return "gain" }
func (v gainValue) Range() string  { return "exp2, linear, or numbers separated by commas" }
