package tree

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// Calibration maps the scores of a model to probabilities that a document has at least the grade Event. It
// never changes the order: a higher score has a higher probability, up to the rounding of numbers.
type Calibration struct {
	Kind  string  // Platt or Isotonic
	Event float64 // grade

	A, B float64 // of Platt: the probability of score s is 1/(1+e^(A·s+B)), A below 0

	// Of Isotonic: scores, ascending, and their probabilities, which do not fall. Between two scores the
	// probability is interpolated; beyond the ends it is that of the end. So that scores of equal probability
	// differ too, a millionth of the result is a function that rises everywhere.
	Scores, Probabilities []float64
}

// Kinds of calibration.
const (
	Platt    = "platt"
	Isotonic = "isotonic"
)

const (
	// tieShare is the share of the function that tells scores apart which have the same probability.
	tieShare = 1e-6
	// farWidths is the distance, in widths of the fitted scores, from which on it does not: Inf/(1+Inf) is NaN.
	farWidths = 1e300
)

// Probability returns the probability of a score.
func (c *Calibration) Probability(score float64) float64 {
	if c.Kind == Platt {
		return 1 / (1 + exact.Exp(float64(c.A*score)+c.B))
	}
	last := len(c.Scores) - 1
	width := c.Scores[last] - c.Scores[0]
	if !(width > 0) {
		width = 1
	}
	t := max(-farWidths, min((score-c.Scores[0])/width, farWidths))
	rising := (1 + t/(1+math.Abs(t))) / 2
	return float64((1-tieShare)*c.interpolated(score)) + float64(tieShare*rising)
}

// interpolated returns the probability between the two scores beside a score.
func (c *Calibration) interpolated(score float64) float64 {
	i, found := slices.BinarySearch(c.Scores, score)
	switch {
	case found || i == 0:
		return c.Probabilities[i]
	case i == len(c.Scores):
		return c.Probabilities[i-1]
	}
	low, high := c.Probabilities[i-1], c.Probabilities[i]
	share := (score - c.Scores[i-1]) / (c.Scores[i] - c.Scores[i-1])
	return min(low+float64((high-low)*share), high) // rounding must not pass the next score
}

// String returns the calibration as a model file has it: kind, grade and lists of numbers, separated by
// semicolons.
func (c *Calibration) String() string {
	lists := [][]float64{{c.A, c.B}}
	if c.Kind == Isotonic {
		lists = [][]float64{c.Scores, c.Probabilities}
	}
	text := c.Kind + ";" + decimal(c.Event)
	for _, list := range lists {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = decimal(v)
		}
		text += ";" + strings.Join(words, ",")
	}
	return text
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var errCalibration = errors.New("not a calibration that lambdamart writes")

// ParseCalibration reads what [Calibration.String] returns.
func ParseCalibration(text string) (*Calibration, error) {
	parts := strings.Split(text, ";")
	var lists [][]float64
	for _, part := range parts[1:] {
		var list []float64
		for word := range strings.SplitSeq(part, ",") {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%q: %w", word, errCalibration)
			}
			list = append(list, v)
		}
		lists = append(lists, list)
	}
	c := &Calibration{Kind: parts[0]}
	switch {
	case len(lists) < 2 || len(lists[0]) != 1:
	case c.Kind == Platt && len(lists) == 2 && len(lists[1]) == 2 && lists[1][0] < 0:
		c.Event, c.A, c.B = lists[0][0], lists[1][0], lists[1][1]
		return c, nil
	case c.Kind == Isotonic && len(lists) == 3 && len(lists[1]) == len(lists[2]) && ascend(lists[1], lists[2]):
		c.Event, c.Scores, c.Probabilities = lists[0][0], lists[1], lists[2]
		return c, nil
	}
	return nil, errCalibration
}

// ascend reports whether scores ascend over a finite width, and probabilities do not fall and are from 0 to
// 1.
func ascend(scores, probabilities []float64) bool {
	for i := 1; i < len(scores); i++ {
		if !(scores[i-1] < scores[i] && probabilities[i-1] <= probabilities[i]) {
			return false
		}
	}
	last := len(scores) - 1
	return probabilities[0] >= 0 && probabilities[last] <= 1 && !math.IsInf(scores[last]-scores[0], 0)
}

// Calibrated returns the model with a calibration, in place of its former one. It shares the trees with e.
func (e *Ensemble) Calibrated(c *Calibration) *Ensemble {
	calibrated := *e
	calibrated.Calibration = c
	return &calibrated
}
