package dataset

import (
	"fmt"
	"math"
)

// Check returns an error for the first violation of the rules for Meta, or nil: queries that follow
// each other and cover all rows, slices of one entry a row, finite labels and initial scores,
// weights that are finite and not negative. The sources of this module follow the rules; Check is
// for data that a program creates itself.
func (m *Meta) Check() error {
	if err := m.checkQueries(); err != nil {
		return err
	}
	if c := m.Context; c != nil && c.Len() > m.NumFeatures() {
		return fmt.Errorf("dataset: %d columns with those of query context, and %d features", c.Len(),
			m.NumFeatures())
	}
	if m.Weights != nil && len(m.Weights) != m.NumRows() {
		return fmt.Errorf("dataset: %d weights for %d rows", len(m.Weights), m.NumRows())
	}
	if m.Docs != nil && len(m.Docs) != m.NumRows() {
		return fmt.Errorf("dataset: %d document ids for %d rows", len(m.Docs), m.NumRows())
	}
	if m.SecondLabels != nil && len(m.SecondLabels) != m.NumRows() {
		return fmt.Errorf("dataset: %d second labels for %d rows", len(m.SecondLabels), m.NumRows())
	}
	if m.InitialScores != nil && len(m.InitialScores) != m.NumRows() {
		return fmt.Errorf("dataset: %d initial scores for %d rows", len(m.InitialScores), m.NumRows())
	}
	if m.Positions != nil && len(m.Positions) != m.NumRows() {
		return fmt.Errorf("dataset: %d positions for %d rows", len(m.Positions), m.NumRows())
	}
	for row, position := range m.Positions {
		if position < 0 || int(position) >= len(m.PositionNames) {
			return fmt.Errorf("dataset: the position of row %d is number %d of %d", row, position,
				len(m.PositionNames))
		}
	}
	for row, score := range m.InitialScores {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return fmt.Errorf("dataset: the initial score of row %d is %v; initial scores are finite", row, score)
		}
	}
	for row, label := range m.Labels {
		if math.IsNaN(label) || math.IsInf(label, 0) {
			return fmt.Errorf("dataset: the label of row %d is %v; labels are finite", row, label)
		}
	}
	for row, label := range m.SecondLabels {
		if math.IsNaN(label) || math.IsInf(label, 0) {
			return fmt.Errorf("dataset: the second label of row %d is %v; labels are finite", row, label)
		}
	}
	for row, weight := range m.Weights {
		if !(weight >= 0) || math.IsInf(weight, 0) {
			return fmt.Errorf("dataset: the weight of row %d is %v; weights are finite and not negative", row, weight)
		}
	}
	return nil
}

// checkQueries returns an error unless the queries follow each other and cover all rows.
func (m *Meta) checkQueries() error {
	next := 0
	for i, q := range m.Queries {
		if q.First != next || q.Len < 1 {
			return fmt.Errorf("dataset: query %d (%q) has %d rows from row %d on; expected at least 1, from row %d on",
				i, q.ID, q.Len, q.First, next)
		}
		next += q.Len
	}
	if next != m.NumRows() {
		return fmt.Errorf("dataset: the queries have %d rows, the labels %d", next, m.NumRows())
	}
	return nil
}
