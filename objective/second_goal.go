package objective

import (
	"errors"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// secondMark follows the name of an objective that reads the second labels: "query_rmse@2".
const secondMark = "@2"

// ErrNoSecondLabels means that an objective reads second labels, and the training data has none.
var ErrNoSecondLabels = errors.New("the training data has no second labels: name their column, " +
	"label2_column=name:NAME, or write them to a file beside the data with .label2 at the end of its name, " +
	"one a line")

// secondGoal is an objective that is computed from the second labels of the data. Everything else is as for
// the first labels.
type secondGoal struct {
	Objective
	labels []float64 // by row
}

func (o *secondGoal) Name() string { return o.Objective.Name() + secondMark }

func (o *secondGoal) Prepare(data *dataset.Meta) error {
	if data.SecondLabels == nil {
		return ErrNoSecondLabels
	}
	o.labels = data.SecondLabels
	return o.Objective.Prepare(withSecondLabels(data))
}

func (o *secondGoal) Gradients(dst Gradients, q Query) {
	q.Labels = o.labels[q.First : q.First+len(q.Labels)]
	o.Objective.Gradients(dst, q)
}

// withSecondLabels returns the data with its second labels in place of the first.
func withSecondLabels(data *dataset.Meta) *dataset.Meta {
	second := *data
	second.Labels = data.SecondLabels
	return &second
}

// readSecond splits the mark of second labels from a name.
func readSecond(name string) (_ string, second bool) { return strings.CutSuffix(name, secondMark) }

// ReadsSecondLabels reports whether the objective of the given name or alias, or one of the given sum, reads
// second labels.
func ReadsSecondLabels(name string) bool {
	terms, err := parse(name)
	return err == nil && slices.ContainsFunc(terms, func(t term) bool { return t.second })
}
