package tree

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Event is what a probability is of: that a document has at least a grade.
type Event struct {
	Label string // of which the grade is; empty: the first of several labels
	Grade float64
}

// firstLabel stands for the first label where an event is written.
const firstLabel = "grade"

// String returns the event as calibration_label has it, such as "grade>=2" or "purchase>=1".
func (e Event) String() string { return cmp.Or(e.Label, firstLabel) + ">=" + decimal(e.Grade) }

// ParseEvent reads what [Event.String] returns.
func ParseEvent(text string) (Event, error) {
	label, number, is := strings.Cut(text, ">=")
	grade, err := strconv.ParseFloat(number, 64)
	if !is || err != nil || math.IsInf(grade, 0) || math.IsNaN(grade) {
		return Event{}, fmt.Errorf("calibration_label=%s: want a label, or grade for the first one, and the least "+
			"grade of the event, as in 'calibration_label=grade>=2' or 'calibration_label=purchase>=1'", text)
	}
	if err := wording.CheckLabelName(label); err != nil || strings.ContainsAny(label, `;[]\`+"\r\n") {
		return Event{}, fmt.Errorf("calibration_label=%s: want the name of a label before >=, a word without "+
			"blanks and ; [ ] \\ @ , : * < > = \"", text)
	}
	if label == firstLabel {
		label = ""
	}
	return Event{label, grade}, nil
}

// Calibration maps the scores of a model to probabilities of an event. It never changes the order: a higher
// score has a higher probability, up to the rounding of numbers.
type Calibration struct {
	Kind  string // Platt or Isotonic
	Event Event

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

// String returns the calibration as a model file has it: kind, event and lists of numbers, separated by
// semicolons. The event is a grade alone if it is of the first label.
func (c *Calibration) String() string {
	lists := [][]float64{{c.A, c.B}}
	if c.Kind == Isotonic {
		lists = [][]float64{c.Scores, c.Probabilities}
	}
	text := c.Kind + ";" + decimal(c.Event.Grade)
	if c.Event.Label != "" {
		text = c.Kind + ";" + c.Event.String()
	}
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
	kind, rest, _ := strings.Cut(text, ";")
	of, numbers, _ := strings.Cut(rest, ";")
	if !strings.Contains(of, ">=") {
		of = firstLabel + ">=" + of
	}
	event, err := ParseEvent(of)
	if err != nil {
		return nil, errCalibration
	}
	var lists [][]float64
	for part := range strings.SplitSeq(numbers, ";") {
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
	c := &Calibration{Kind: kind, Event: event}
	switch {
	case kind == Platt && len(lists) == 1 && len(lists[0]) == 2 && lists[0][0] < 0:
		c.A, c.B = lists[0][0], lists[0][1]
		return c, nil
	case kind == Isotonic && len(lists) == 2 && len(lists[0]) == len(lists[1]) && ascend(lists[0], lists[1]):
		c.Scores, c.Probabilities = lists[0], lists[1]
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
