package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Check returns an error for the first violation of the rules for Meta, or nil: queries that follow each
// other and cover all rows, slices with one entry per row, finite labels and initial scores, weights that are
// finite and not negative. The sources of this module follow the rules; Check is for data that a program
// creates itself.
func (m *Meta) Check() error {
	if err := m.checkQueries(); err != nil {
		return err
	}
	if c := m.Context; c != nil && c.Len() > m.NumFeatures() {
		return fmt.Errorf("%s with query context, and %s", wording.Count(c.Len(), "column"),
			wording.Count(m.NumFeatures(), "feature"))
	}
	if err := m.checkCounts(); err != nil {
		return err
	}
	if err := m.checkPairs(); err != nil {
		return err
	}
	if err := m.checkPositions(); err != nil {
		return err
	}
	return m.checkNumbers()
}

// checkPositions returns an error unless all positions are numbers of names.
func (m *Meta) checkPositions() error {
	for row, position := range m.Positions {
		if position < 0 || int(position) >= len(m.PositionNames) {
			return fmt.Errorf("the position of row %d is number %d of %d", row, position,
				len(m.PositionNames))
		}
	}
	return nil
}

// checkNumbers returns an error for an initial score, label or weight that is out of its range.
func (m *Meta) checkNumbers() error {
	columns := []struct {
		what, rule string
		values     []float64
		least      float64
	}{
		{"initial score", "initial scores are finite", m.InitialScores, -math.MaxFloat64},
		{"label", "labels are finite", m.Labels, -math.MaxFloat64},
		{"weight", "weights are finite and not negative", m.Weights, 0},
	}
	for _, l := range m.More {
		c := columns[1]
		c.what, c.values = "label "+l.Name, l.Values
		columns = append(columns, c)
	}
	for _, c := range columns {
		for row, v := range c.values {
			if !(v >= c.least && v <= math.MaxFloat64) {
				return fmt.Errorf("the %s of row %d is %v; %s", c.what, row, v, c.rule)
			}
		}
	}
	return nil
}

// checkCounts returns an error unless each slice that is set has one entry per row.
func (m *Meta) checkCounts() error {
	for _, c := range []struct {
		what  string
		rows  int
		there bool
	}{
		{"weights", len(m.Weights), m.Weights != nil},
		{"document ids", len(m.Docs), m.Docs != nil},
		{"initial scores", len(m.InitialScores), m.InitialScores != nil},
		{"positions", len(m.Positions), m.Positions != nil},
	} {
		if c.there && c.rows != m.NumRows() {
			return fmt.Errorf("%s %s for %s", wording.Thousands(c.rows), c.what, wording.Count(m.NumRows(), "row"))
		}
	}
	for i, l := range m.More {
		if err := wording.CheckLabelName(l.Name); err != nil {
			return err
		}
		if slices.Index(m.LabelNames(), l.Name) != i+len(m.LabelNames())-len(m.More) {
			return fmt.Errorf("two labels have the name %s", l.Name)
		}
		if len(l.Values) != m.NumRows() {
			return fmt.Errorf("%s %s for %s", wording.Count(len(l.Values), "label"), l.Name,
				wording.Count(m.NumRows(), "row"))
		}
	}
	return nil
}

// checkQueries returns an error unless the queries follow each other and cover all rows.
func (m *Meta) checkQueries() error {
	next := 0
	for i, q := range m.Queries {
		if q.First != next || q.Len < 1 {
			return fmt.Errorf("query %d (%q) has %s from row %d on; expected at least 1, from row %d on",
				i, q.ID, wording.Count(q.Len, "row"), q.First, next)
		}
		next += q.Len
	}
	if next != m.NumRows() {
		return fmt.Errorf("the queries have %s, the labels %s", wording.Count(next, "row"),
			wording.Thousands(m.NumRows()))
	}
	return nil
}
