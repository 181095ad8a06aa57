package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/param"
)

// MaxExp2Label is the largest label that the gain 2^label - 1 accepts. LightGBM's table ends at 30 and
// XGBoost's at 31: with larger labels, one document outweighs all others of a query.
const MaxExp2Label = 31

// MaxGain is the largest gain of a document: sums over any number of documents remain finite.
const MaxGain = 1e290

// Gain turns the relevance grade (label) of a document into the value that DCG sums. The zero value
// is [Exp2].
type Gain struct {
	kind  gainKind
	table *[]float64 // by label, of a tableGain; a pointer, so that gains and conventions can be compared by ==
}

type gainKind uint8

const (
	exp2Gain gainKind = iota
	linearGain
	tableGain
)

// Exp2 returns the gain 2^label - 1, which is defined for labels that are not integers too.
func Exp2() Gain { return Gain{} }

// Linear returns the gain that is the label itself.
func Linear() Gain { return Gain{kind: linearGain} }

// Table returns the gain gains[label], as LightGBM's label_gain defines it. Gains must be finite, at least 0,
// and not decreasing, because a better grade is not worth less. Table copies gains.
func Table(gains []float64) (Gain, error) {
	if len(gains) == 0 {
		return Gain{}, fmt.Errorf("the gain table is empty; give one gain for each label from 0")
	}
	last := 0.0
	for i, g := range gains {
		if g > MaxGain && !math.IsInf(g, 1) {
			return Gain{}, fmt.Errorf("gain %v of label %d: sums over a query can overflow above %g; divide "+
				"all gains by a number", g, i, MaxGain)
		}
		if !(g >= last) || math.IsInf(g, 1) {
			return Gain{}, fmt.Errorf("gain %v of label %d: gains must be finite, at least 0, and never fall",
				g, i)
		}
		last = g
	}
	copied := slices.Clone(gains)
	return Gain{kind: tableGain, table: &copied}, nil
}

// Of returns the gain of a label, NaN for one for which [Gain.Check] returns an error.
func (g Gain) Of(label float64) float64 {
	switch {
	case g.kind == exp2Gain:
		return exp2Minus1(label)
	case g.kind == linearGain && label >= 0 && label <= math.MaxFloat64:
		return label
	case g.kind == tableGain && label >= 0 && label < float64(len(*g.table)) && label == math.Floor(label):
		return (*g.table)[int(label)]
	}
	return math.NaN()
}

// exp2Minus1 returns 2^x - 1 for x in [0, MaxExp2Label], and NaN otherwise. It is exact for
// integers; for other numbers its error is at most 2 ulp of 2^x.
func exp2Minus1(x float64) float64 {
	if !(x >= 0 && x <= MaxExp2Label) {
		return math.NaN()
	}
	whole := uint(x)
	fraction := x - float64(whole)
	if fraction == 0 {
		return float64(uint64(1)<<whole - 1)
	}
	return math.Ldexp(exact.Exp(float64(fraction*math.Ln2)), int(whole)) - 1
}

// Check returns nil for a label that has a gain. Otherwise the error explains why it has none, and what
// to do.
func (g Gain) Check(label float64) error {
	switch {
	case !(label >= 0 && label <= math.MaxFloat64):
		return checkFinite(label)
	case g.kind == exp2Gain && label > MaxExp2Label:
		return fmt.Errorf("2^label - 1 is for labels up to %d; give label_gain=linear, or label_gain with a list "+
			"of the gains of all labels from 0", MaxExp2Label)
	case g.kind == linearGain && label > MaxGain:
		return fmt.Errorf("the gain is the label, and sums over a query can overflow above %g; divide all labels "+
			"by a number", MaxGain)
	case g.kind == tableGain && label != math.Floor(label):
		return fmt.Errorf("a list of gains is for whole labels; give label_gain=exp2 or label_gain=linear")
	case g.kind == tableGain && label >= float64(len(*g.table)):
		return fmt.Errorf("label_gain ends at label %d; add gains to it", len(*g.table)-1)
	}
	return nil
}

// checkFinite returns nil for a label that is finite and not negative.
func checkFinite(label float64) error {
	switch {
	case math.IsNaN(label) || math.IsInf(label, 0):
		return errors.New("labels must be finite")
	case label < 0:
		return errors.New("labels must not be negative")
	}
	return nil
}

// String returns "exp2", "linear", or the gains of the table, separated by commas. [parseGain]
// reads it.
func (g Gain) String() string {
	switch g.kind {
	case exp2Gain:
		return "exp2"
	case linearGain:
		return "linear"
	}
	gains := make([]string, len(*g.table))
	for i, gain := range *g.table {
		gains[i] = strconv.FormatFloat(gain, 'g', -1, 64)
	}
	return strings.Join(gains, ",")
}

// parseGain returns the gain that a text describes: "exp2", "linear", or the gains of the labels
// from 0, separated by commas ("0,1,3,7,15").
func parseGain(text string) (Gain, error) {
	switch text {
	case "exp2":
		return Exp2(), nil
	case "linear":
		return Linear(), nil
	}
	var gains []float64
	for _, field := range strings.Split(text, ",") {
		gain, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return Gain{}, fmt.Errorf("gain %q: want exp2, linear, or numbers separated by commas", text)
		}
		gains = append(gains, gain)
	}
	return Table(gains)
}

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
