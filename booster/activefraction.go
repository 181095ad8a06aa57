package booster

import (
	"fmt"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
)

// AutoActive is the value of Params.ActiveFraction with which the share depends on the number of rows.
const AutoActive = 0.0

const (
	// autoFraction is the share on large data. The unit of rounding is then 32 times the mean magnitude. With
	// half as many rows, models begin to get worse (bench/results/2026-11-24-active-rows.md).
	autoFraction = 1.0 / 32
	// autoRows is the smallest number of active rows that auto leaves.
	autoRows = 20_000
)

// activeShare returns the share of this many rows that each tree grows on.
func (p *Params) activeShare(rows int) float64 {
	if p.ActiveFraction != AutoActive {
		return p.ActiveFraction
	}
	if share := float64(autoRows) / float64(rows); share < 0.5 {
		return max(autoFraction, share)
	}
	return 1
}

// ActiveRemark returns a remark on the share of this many rows of training data, after bagging and GOSS, that
// trees grow on; it is empty if they grow on all of them.
func (p *Params) ActiveRemark(rows int) string {
	if p.hasBags() {
		rows = int(p.BaggingFraction * float64(rows))
	}
	if p.DataSampleStrategy == GOSS {
		rows = int((p.TopRate + p.OtherRate) * float64(rows))
	}
	share := p.activeShare(rows)
	if share >= 1 {
		return ""
	}
	return fmt.Sprintf("trees grow on 1 row of %.3g, by random rounding of gradients without bias; "+
		"active_fraction=1 uses all", 1/share)
}

// checkActive returns a [*NoSplitError] if active_fraction leaves less than the two rows that a split needs.
func (p *Params) checkActive(train *dataset.Meta) error {
	rows := train.AllRows()
	if a := p.ActiveFraction; a != AutoActive && a < 1 && a*float64(rows) < 2 {
		return &NoSplitError{"active_fraction", fmt.Sprintf("%g of %d rows are less than two; make it larger",
			a, rows)}
	}
	return nil
}

// activeFractionValue is a [param.Value] whose text is "auto" or a number.
type activeFractionValue struct{ dst *float64 }

func (v activeFractionValue) Set(text string) error {
	if text == "auto" {
		*v.dst = AutoActive
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) {
		return fmt.Errorf("want auto, or a number above 0 and at most 1")
	}
	*v.dst = x
	return nil
}

func (v activeFractionValue) String() string {
	if *v.dst == AutoActive {
		return "auto"
	}
	return strconv.FormatFloat(*v.dst, 'g', -1, 64)
}

func (v activeFractionValue) Check() error {
	if a := *v.dst; !(a >= 0 && a <= 1) {
		return fmt.Errorf("want auto, or a number above 0 and at most 1")
	}
	return nil
}

func (v activeFractionValue) Range() string { return "auto, or > 0 and <= 1" }
func (v activeFractionValue) Type() string  { return "number" }
