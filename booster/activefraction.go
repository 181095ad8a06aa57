package booster

import (
	"fmt"
	"strconv"
)

// AutoActive as Params.ActiveFraction lets the number of rows decide.
const AutoActive = ActiveFraction(0)

// ActiveFraction is the share of the rows that each tree grows on: 1 is all of
// them, [AutoActive] is chosen from the data. See activate.go.
type ActiveFraction float64

const (
	// autoFraction is the share on large data: eight mean magnitudes a unit.
	autoFraction = 0.125
	// autoRows is the least number of active rows that auto leaves.
	autoRows = 60_000
)

// of returns the share for so many rows.
func (a ActiveFraction) of(rows int) float64 {
	if a != AutoActive {
		return float64(a)
	}
	if share := float64(autoRows) / float64(rows); share < 0.5 {
		return max(autoFraction, share)
	}
	return 1
}

// activeFractionValue makes the field a parameter: "auto", or a number.
type activeFractionValue struct{ dst *ActiveFraction }

func (v activeFractionValue) Set(text string) error {
	if text == "auto" {
		*v.dst = AutoActive
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) {
		return fmt.Errorf("want auto, or a number above 0 and at most 1")
	}
	*v.dst = ActiveFraction(x)
	return nil
}

func (v activeFractionValue) String() string {
	if *v.dst == AutoActive {
		return "auto"
	}
	return strconv.FormatFloat(float64(*v.dst), 'g', -1, 64)
}

func (v activeFractionValue) Check() error {
	if a := *v.dst; !(a >= 0 && a <= 1) {
		return fmt.Errorf("want auto, or a number above 0 and at most 1")
	}
	return nil
}

func (v activeFractionValue) Range() string { return "auto, or > 0 and <= 1" }
func (v activeFractionValue) Type() string  { return "number" }
