package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// The values of the parameter context: the source of a model's query context when rows are scored.
const (
	Computed    = "computed"    // computed from all documents of each query
	Precomputed = "precomputed" // columns of the data
)

// Part is the part of a model of trees that is used.
type Part struct {
	From int // number of the first tree, from 0
	N    int // number of trees; all remaining ones if below 1

	Context string // Computed or Precomputed
}

// DefaultPart returns the whole model.
func DefaultPart() Part { return Part{N: -1, Context: Computed} }

// Table returns the parameters, bound to p.
func (p *Part) Table() param.Table {
	return param.Table{
		{Name: "start_iteration_predict", Group: GroupScoring,
			Help:  "First tree that is used, from 0.",
			Value: bind.Int(&p.From, bind.AtLeast(0))},
		NumIterationPredict(&p.N),
		Context(&p.Context),
	}
}

// Judging returns the parameters by which a model is judged: of those in p, the ones that the user gave, and
// otherwise those of the model's training. given has the names that the user gave.
func Judging(m lambdamart.Model, given []string, p training.Judging) training.Judging {
	j := lambdamart.JudgedBy(m)
	if slices.Contains(given, "metric_convention") {
		j.MetricConvention = p.MetricConvention
	}
	if slices.Contains(given, "label_gain") {
		j.LabelGain = p.LabelGain
	}
	return j
}

// Context returns the row of the parameter for the source of query context.
func Context(dst *string) param.Parameter {
	return param.Parameter{Name: "context", Group: GroupScoring,
		Help: "Where the query context that a model was trained on comes from. computed: of all documents of " +
			"each query. precomputed: rows have it in columns, as transform writes them.",
		Value: bind.Choice(dst, Computed, Precomputed)}
}

// When returns the name of a parameter if it asks for something, and "" otherwise.
func When(asks bool, name string) string {
	if asks {
		return name
	}
	return ""
}

// Given returns the name of the parameter that asks for less than the whole model, or "".
func (p Part) Given() string {
	return cmp.Or(When(p.From > 0, "start_iteration_predict"), When(p.N > 0, "num_iteration_predict"))
}

// Of returns the requested part of a model. A network has no parts, nor what a parameter asks for that only
// trees have: ofTrees is its name, "" if there is none.
func (p Part) Of(m lambdamart.Model, ofTrees string) (lambdamart.Model, error) {
	switch m := m.(type) {
	case *tree.Ensemble:
		if p.Context == Precomputed {
			m = m.Precomputed()
		}
		trees, err := p.Trees(m)
		if err != nil {
			return nil, err // an interface that holds a nil pointer is not nil
		}
		return trees, nil
	case *nnbaseline.Model:
		if name := cmp.Or(p.Given(), ofTrees); name != "" {
			return nil, Usagef("%s is for trees; this model is a network (%s), which gives scores alone", name,
				m.Ranker())
		}
	}
	return m, nil
}

// Trees returns the requested trees of a model.
func (p Part) Trees(m *tree.Ensemble) (*tree.Ensemble, error) {
	if p.From > 0 && p.From >= len(m.Trees) {
		return nil, fmt.Errorf("start_iteration_predict=%d: the model has %s, numbered from 0", p.From,
			wording.Count(len(m.Trees), "tree"))
	}
	return m.Part(p.From, p.N), nil
}

// TellUncalibrated warns that a model lacks the calibration of the one of which it was made.
func TellUncalibrated(from, made lambdamart.Model, messages *Console) {
	if lambdamart.CalibrationOf(from) != nil && lambdamart.CalibrationOf(made) == nil {
		messages.Warn("the given model has a calibration, which is not of the scores of the new one: the new " +
			"model has none, until calibrate fits one")
	}
}

// ShowSummary reports how the features of the scored rows and the model differ.
func ShowSummary(s scoring.Summary, messages *Console) {
	warnings, notes := s.Remarks()
	messages.Warn(warnings...)
	messages.Note(notes...)
}
