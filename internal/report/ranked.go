package report

import "github.com/lambdamart/lambdamart/internal/plot"

// Ranked draws a column of the first n rows as bars, named by the first column, with the table behind them.
// note, which may be nil, returns the note of a bar. Without rows there is no figure.
func (t *Table) Ranked(chart plot.Bars, column, n int, note func(row []any) string, caption string) []Figure {
	for _, row := range t.Rows[:min(n, len(t.Rows))] {
		bar := plot.Bar{Name: row[0].(string), Value: row[column].(float64)}
		if note != nil {
			bar.Note = note(row)
		}
		chart.Bars = append(chart.Bars, bar)
	}
	if len(chart.Bars) == 0 {
		return nil
	}
	return []Figure{{Chart: &chart, Caption: caption, Table: t.Grid("")}}
}
