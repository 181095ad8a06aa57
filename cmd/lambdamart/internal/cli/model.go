package cli

import (
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

// OfTrees is a parameter that only models of trees have.
type OfTrees struct {
	Given bool
	Name  string
}

// Given returns the name of the first parameter that is given, of those of the part and of more, or "".
func (p Part) Given(more ...OfTrees) string {
	for _, parameter := range append([]OfTrees{{p.From > 0, "start_iteration_predict"},
		{p.N > 0, "num_iteration_predict"}}, more...) {
		if parameter.Given {
			return parameter.Name
		}
	}
	return ""
}

// Of returns the requested part of a model. For a network, parameters of a part are errors if they are given;
// more lists further parameters that only trees have.
func (p Part) Of(m lambdamart.Model, more ...OfTrees) (lambdamart.Model, error) {
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
		if name := p.Given(more...); name != "" {
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
