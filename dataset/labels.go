package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// Labels are further labels of the rows, such as purchases in addition to clicks.
type Labels struct {
	Name   string    // by which objectives and metrics choose them: "ndcg@10@purchase"
	Values []float64 // finite, one per row
	File   string    // with a label a line, from which Values were read; empty for a column of a table
}

// ErrNoLabel means that an objective or a metric names a label that the data does not have.
var ErrNoLabel = errors.New("the data has no such label")

// LabelNames returns the names of all labels that have one, the first label before the others.
func (m *Meta) LabelNames() (names []string) {
	if m.LabelName != "" {
		names = append(names, m.LabelName)
	}
	for _, l := range m.More {
		names = append(names, l.Name)
	}
	return names
}

// LabelsOf returns the labels of that name, one per row; those of Labels if the name is empty.
func (m *Meta) LabelsOf(name string) ([]float64, error) {
	if name == "" || name == m.LabelName {
		return m.Labels, nil
	}
	for _, l := range m.More {
		if l.Name == name {
			return l.Values, nil
		}
	}
	there := "none of its labels has a name"
	if names := m.LabelNames(); names != nil {
		there = "there are " + strings.Join(names, ", ")
	}
	file := ""
	if len(m.Queries) > 0 { // not an empty selection
		if place := m.locate(0); place != nil {
			file = place.Path + ": "
		}
	}
	return nil, fmt.Errorf("%slabel %s: %w; %s. label_columns=LABEL,%s names columns of a table, or files "+
		"beside other data whose names end in .label.%s, with a number a line (in Python, labels of fit and "+
		"Dataset, or y of evaluate)", file, name, ErrNoLabel, there, name, name)
}

// WithLabels returns the data with the labels of that name in place of Labels.
func (m *Meta) WithLabels(name string) (*Meta, error) {
	labels, err := m.LabelsOf(name)
	if err != nil {
		return nil, err
	}
	other := *m
	other.Labels, other.chosen = labels, name
	return &other, nil
}

// appendLabels appends the entries [first, end) of the further labels of another Meta.
func (m *Meta) appendLabels(from *Meta, first, end int) {
	if m.More == nil {
		for _, l := range from.More {
			m.More = append(m.More, Labels{Name: l.Name, File: l.File})
		}
	}
	for i := range m.More {
		m.More[i].Values = appendRows(m.More[i].Values, from.More[i].Values, first, end)
	}
}
