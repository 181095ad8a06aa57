package booster

import (
	"fmt"
	"strconv"
)

const (
	// autoFraction is the smallest share that auto chooses, at learning rates up to usualRate. The unit of
	// rounding is then 32 times the mean magnitude. With larger steps fewer trees average out what the samples
	// of each add to the scores by chance: at .3, as in preset=fast, 1 of 32 rows lost .003 to .005 of nDCG.
	autoFraction, usualRate = 1.0 / 32, 0.1
	// controlledRows and controlledQueries are the numbers above which auto chooses a share. With fewer, trees
	// grow on every row: too few queries would judge them, and there is little time to save.
	controlledRows, controlledQueries = 40_000, 64
	// autoRows and autoRowsOfLeaf are the smallest numbers of active rows that auto chooses, of a tree and of
	// each of its leaves.
	autoRows, autoRowsOfLeaf = 4000, 64
)

// lowestShare returns the smallest share of this many rows, after bagging, that trees grow on.
func (p *Params) lowestShare(rows int) float64 {
	switch {
	case p.ActiveFraction != AutoActive:
		return p.ActiveFraction
	case rows <= controlledRows || !p.comparesRounds():
		return 1
	}
	rate := max(usualRate, p.LearningRate)
	for _, of := range p.LearningRates {
		rate = max(rate, of)
	}
	least := float64(max(autoRows, autoRowsOfLeaf*p.NumLeaves))
	share := max(float64(autoFraction/usualRate*rate), least/float64(rows))
	if share > shareOf(mostSampled) {
		return 1
	}
	return share
}

// comparesRounds reports whether trees of neighboring rounds tell what more rows gain. They do not if each
// sees other columns, or other trees are dropped: with these, chosen shares lost .002 to .01 of nDCG
// (bench/README.md).
func (p *Params) comparesRounds() bool {
	return p.Boosting != DART && p.FeatureFraction == 1 && p.FeatureFractionByNode == 1
}

// fixedShare returns the share of the rows that trees grow on if nothing chooses it.
func (p *Params) fixedShare() float64 {
	if p.ActiveFraction == AutoActive {
		return 1
	}
	return p.ActiveFraction
}

// sampledRows returns about how many of the rows are left after bagging.
func (p *Params) sampledRows(rows int) int {
	if p.hasBags() {
		rows = int(p.BaggingFraction * float64(rows))
	}
	return rows
}

// newControl returns what chooses the share of each tree, nil if it is given or every row.
func (p *Params) newControl(train Data) *control {
	queries := train.Meta.Part.Group().SumOf(len(train.Meta.Queries))
	lowest := p.lowestShare(p.sampledRows(train.Meta.AllRows()))
	if p.ActiveFraction != AutoActive || lowest >= 1 || queries < controlledQueries {
		return nil
	}
	return newControl(levelOf(lowest))
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
