package objective

import (
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// ofLabel is an objective that is computed from one of several labels of the data. Everything else is as for
// the first label.
type ofLabel struct {
	Objective
	label  string
	labels []float64 // by row
}

func (o *ofLabel) Name() string { return o.Objective.Name() + "@" + o.label }

func (o *ofLabel) Prepare(data *dataset.Meta) error {
	data, err := data.WithLabels(o.label)
	if err != nil {
		return err
	}
	o.labels = data.Labels
	return o.Objective.Prepare(data)
}

func (o *ofLabel) Gradients(dst Gradients, q Query) {
	q.Labels = o.labels[q.First : q.First+len(q.Labels)]
	o.Objective.Gradients(dst, q)
}

// cutLabel splits the label from the name of an objective: "binary@cart".
func cutLabel(name string) (_, label string) {
	name, label, _ = strings.Cut(name, "@")
	return name, label
}

// Labels returns the labels that the objective of the given name or alias, or those of the given sum, name;
// "" stands for the first label of the data.
func Labels(name string) (labels []string) {
	terms, _ := parse(name)
	for _, t := range terms {
		if !slices.Contains(labels, t.label) {
			labels = append(labels, t.label)
		}
	}
	return labels
}
