package cli

import (
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// GroupCalibration is the heading of parameters of probabilities.
const GroupCalibration = "Calibration"

// CalibrationLabel returns the row of the event.
func CalibrationLabel(dst *string) param.Parameter {
	return param.Parameter{Name: "calibration_label", Group: GroupCalibration,
		Help: "The event whose probability is meant: at least this grade. In eval, the default is the event of " +
			"the model's calibration, and grade>=1 without one.",
		Value: bind.Text(dst)}
}

// Event returns the grade in a value of calibration_label.
func Event(text string) (float64, error) {
	number, is := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "grade>=")
	grade, err := strconv.ParseFloat(number, 64)
	if !is || err != nil || math.IsInf(grade, 0) || math.IsNaN(grade) {
		return 0, Usagef("calibration_label=%s: want grade>= and a number, as in 'calibration_label=grade>=2'",
			text)
	}
	return grade, nil
}
