// Package metricparam binds parameters that speak of metrics, for the tables of
// package param.
package metricparam

import (
	"errors"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// Gain binds the worth of relevance grades.
func Gain(dst *metric.Gain) param.Value { return gain{dst} }

type gain struct{ dst *metric.Gain }

func (v gain) Set(text string) error {
	parsed, err := metric.ParseGain(text)
	if err != nil {
		return errors.New("must be exp2, linear, or gains for the grades from 0 that never fall, such as 0,1,3,7,15")
	}
	*v.dst = parsed
	return nil
}

func (v gain) String() string { return v.dst.String() }
func (v gain) Check() error   { return nil }
func (v gain) Type() string   { return "gain" }
func (v gain) Range() string  { return "exp2, linear, or numbers with commas between" }

// Convention binds the name of a preset of metric conventions.
func Convention(dst *string) param.Value {
	var names []string
	for _, c := range metric.Presets() {
		names = append(names, c.Name)
	}
	return param.Choice(dst, names...)
}

// Names binds a list of metrics' names. Other words for a metric become its name, and words for no
// metric at all are dropped.
func Names(dst *[]string) param.Value { return names{param.Texts(dst)} }

type names struct{ param.Value }

func (v names) Set(text string) error {
	given := strings.Split(text, ",")
	for i, word := range given {
		if name, ok := metric.Canonical(word); ok {
			given[i] = name
		}
	}
	return v.Value.Set(strings.Join(given, ","))
}
