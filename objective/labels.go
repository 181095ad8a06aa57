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

// Emphasize gives the objectives of labels more weight in a sum that [New] has made: together those of label
// i weigh more by weights[i] times the sum of all weights. It must not be called while gradients are
// computed, and does nothing to another objective.
func Emphasize(o Objective, labels []string, weights []float64) {
	s, ok := o.(*weightedSum)
	if !ok {
		return
	}
	total := 0.0
	for _, factor := range s.given {
		total += factor
	}
	copy(s.factors, s.given)
	for i, label := range labels {
		own := 0.0
		for k, factor := range s.given {
			if s.isOf(k, label) {
				own += factor
			}
		}
		for k, factor := range s.given {
			if s.isOf(k, label) {
				s.factors[k] += float64(float64(total*weights[i]) * (factor / own))
			}
		}
	}
}

// isOf reports whether a term reads a label; the first label may have a name.
func (s *weightedSum) isOf(term int, label string) bool {
	own := s.labels[term]
	return own == label || own == "" && label == s.first || label == "" && own == s.first
}
