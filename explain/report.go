package explain

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Report is all explanations of a model. Parts that were not requested are nil.
type Report struct {
	Model string   `json:"model"` // its file
	Data  string   `json:"data"`  // its file
	Notes []string `json:"notes,omitempty"`

	Query *Query `json:"query,omitempty"`
	Pair  *Pair  `json:"pair,omitempty"`

	Metric       string        `json:"metric,omitempty"`
	Convention   string        `json:"convention,omitempty"` // the rules of the metric in words
	Losses       *Losses       `json:"losses,omitempty"`
	Importance   []Importance  `json:"importance,omitempty"`
	Dependences  []Dependence  `json:"dependences,omitempty"`
	Interactions []Interaction `json:"interactions,omitempty"`
	Surfaces     []Surface     `json:"surfaces,omitempty"`
}

// Overview adds the explanations of all loaded queries: losses, importance, and the dependence on the
// strongest features and pairs. level is the level of intervals; ctx is as for [Data.Measure].
func (r *Report) Overview(ctx context.Context, d *Data, level float64) (err error) {
	const features, pairs, surfaces = 10, 10, 2
	if r.Losses, err = d.losses(ctx); err != nil {
		return err
	}
	r.Metric, r.Convention = d.metric().Name(), d.options.Convention.String()
	if r.Importance, err = d.importance(ctx, level); err != nil {
		return err
	}
	var strongest []string
	for _, i := range r.Importance[:min(features, len(r.Importance))] {
		strongest = append(strongest, i.Feature)
	}
	if r.Dependences, err = d.dependences(ctx, strongest); err != nil {
		return err
	}
	if r.Interactions, err = d.interactions(ctx, pairs); err != nil {
		return err
	}
	for _, i := range r.Interactions[:min(surfaces, len(r.Interactions))] {
		s, err := d.surface(ctx, i.Features[0], i.Features[1])
		if err != nil {
			return err
		}
		r.Surfaces = append(r.Surfaces, s)
	}
	return nil
}

// WriteText writes the report for a terminal: the most important lines of each part.
func (r *Report) WriteText(w io.Writer) error { return r.document().Text(w) }

// WriteHTML writes the report as one page that needs no network and no scripts. program is the name of the
// program on the page.
func (r *Report) WriteHTML(w io.Writer, program string) error {
	d := r.document()
	d.Program = "Model " + r.Model + ", data " + r.Data + ". Made by " + program + "."
	return d.Write(w)
}

// most is the number of bars of a figure, and lines the most lines of a table on a terminal.
const (
	most  = 20
	lines = 10
)

func (r *Report) document() *report.Document {
	d := &report.Document{Title: "What the model rests on", Finding: "There is nothing to show.",
		Warnings: r.Notes}
	switch {
	case r.Pair != nil:
		r.Pair.describe(d)
	case r.Query != nil:
		r.Query.describe(d)
	}
	if r.Losses != nil {
		n := r.Losses.Queries
		d.Finding = fmt.Sprintf("%s %s %.4f of %s on average.", wording.Count(n, "query"),
			wording.Agree(n, "loses", "lose"), r.Losses.Total, r.Metric)
		d.Basis = r.basis()
		for _, part := range r.overview() {
			d.Sections, d.Tables = append(d.Sections, part.Section), append(d.Tables, part.tables...)
		}
	}
	return d
}

// basis names the rules of the metric.
func (r *Report) basis() string {
	return r.Metric + " is judged by the convention " + r.Convention + "."
}

// topic is a section of a page, and its tables for a terminal.
type topic struct {
	report.Section
	tables []*report.Table
}

// overview returns the parts about all queries.
func (r *Report) overview() []topic {
	return []topic{r.importance(), r.dependence(), r.interactions(), r.losses()}
}

// shown makes a terminal show the first n rows of t, below the sentence above, and returns t.
func shown(t *report.Table, n int, above string) *report.Table {
	t.Above, t.Shown = above+"\n", []int{}
	for i := range min(n, len(t.Rows)) {
		t.Shown = append(t.Shown, i)
	}
	return t
}

// blame returns the table and the figure of the costs of features.
func blame(features []Blame, metric string) (*report.Table, []report.Figure) {
	t := report.NewTable("", "feature", "", "cost", "%.5f")
	for _, f := range features {
		t.Add(f.Feature, f.Cost)
	}
	chart := plot.Bars{ID: "blame", Title: "What features cost", XLabel: "cost in " + metric, Color: 1,
		Format:      func(v float64) string { return fmt.Sprintf("%.4f", v) },
		Description: "Bars of the features that put worse documents above better ones, the most expensive first."}
	const caption = "Features that put the worse document of a misplaced pair above, by their part of the loss."
	shown(t, lines, "The cost of features that put the worse document above")
	return t, t.Ranked(chart, most, nil, caption)
}

func (r *Report) importance() topic {
	t := report.NewTable("", "feature", "", "drop", "%+.5f", "interval", "%+.5f", "gain", "%.5g", "splits",
		"%.0f",
		"mean contribution", "%.4g")
	for _, f := range r.Importance {
		interval := metric.Interval{Low: float64(f.Low), High: float64(f.High)}
		t.Add(f.Feature, float64(f.Drop), interval, f.Gain, f.Split, f.Mean)
	}
	chart := plot.Bars{ID: "importance-drop", Title: "Drop of " + r.Metric, XLabel: "drop of " + r.Metric,
		Signed: true, Format: plot.Change,
		Description: "Bars of the features, the one whose exchange costs most first."}
	width := func(row []any) string {
		interval := row[2].(metric.Interval)
		if math.IsNaN(interval.Low) { // of one query
			return ""
		}
		return fmt.Sprintf("± %.3g", (interval.High-interval.Low)/2)
	}
	what := "What " + r.Metric + " loses if the values of a feature are exchanged among the documents"
	return topic{report.Section{ID: "importance", Title: "Importance",
		Text:    what + " of these queries, with its interval over queries.",
		Figures: t.Ranked(chart, most, width, "On the right: half the width of the interval."),
	}, []*report.Table{shown(t, most, what)}}
}

func (r *Report) dependence() topic {
	chart := plot.Curves{ID: "dependences", Title: "Partial dependence", XLabel: "value", YLabel: "score",
		Description: "A small chart for each of the strongest features: the mean score by the value of the " +
			"feature."}
	t := report.NewTable("", "feature", "", "value", "", "score", "%+.4g")
	for i, d := range r.Dependences {
		if len(d.X) == 0 {
			continue
		}
		quantiles := farOut(d.X)
		line := plot.Series{Name: d.Feature, Color: i % plot.Colors}
		if quantiles {
			line.XLabel, line.Ends = ofQuantiles, [2]float64{float64(d.X[0]), float64(d.X[len(d.X)-1])}
		}
		for k, x := range d.X {
			value, at := number{Value: x}, float64(x)
			if len(d.Texts) > 0 {
				value.text = d.Texts[k]
			}
			t.Add(d.Feature, value, float64(d.Score[k]))
			if quantiles {
				at = float64(k)
			}
			line.Add(at, float64(d.Score[k]))
		}
		if len(line.Points) > 1 { // one is no line
			chart.Series = append(chart.Series, line)
		}
	}
	s := report.Section{ID: "dependence", Title: "Dependence",
		Text: "The mean score of documents if each had the same value of a feature while the others of " +
			"its query keep theirs, minus their mean score. Values are quantiles over the documents. Where the " +
			"smallest or largest value is far from the others, the axis has the quantiles at equal distances."}
	if len(chart.Series) > 0 {
		s.Figures = []report.Figure{{Chart: &chart, Table: t.Grid(""),
			Caption: "The features with the largest drops. All panels have the same scale of scores."}}
	}
	return topic{Section: s}
}

// ofQuantiles names an axis of quantiles, not of values.
const ofQuantiles = "quantile of value"

// farOut reports whether the first or last of some ascending values is so far from the others that these
// would share less than a third of an axis.
func farOut[T ~float64](x []T) bool {
	if len(x) < 4 {
		return false
	}
	last := len(x) - 1
	return 3*(x[last-1]-x[1]) < x[last]-x[0]
}

func (r *Report) interactions() topic {
	s := report.Section{ID: "interactions", Title: "Interactions",
		Text: "What pairs of features add to scores beyond what each adds alone: the mean size of their Shapley " +
			"interaction values."}
	if len(r.Interactions) == 0 {
		return topic{Section: s}
	}
	t := report.NewTable("", "features", "", "mean size", "%.4g")
	for _, i := range r.Interactions {
		t.Add(i.Features[0]+", "+i.Features[1], i.Mean)
	}
	chart := plot.Bars{ID: "interaction-bars", Title: s.Title, XLabel: "mean size", Color: 2,
		Format: plot.Four, Description: "Bars of pairs of features, the strongest first."}
	s.Figures = t.Ranked(chart, len(t.Rows), nil, "The strongest pairs.")
	for _, f := range r.Surfaces {
		if len(f.X) > 0 && len(f.Y) > 0 {
			s.Tables = append(s.Tables, f.grid())
		}
	}
	return topic{s, []*report.Table{shown(t, lines, "What pairs of features add together: the mean size")}}
}

// grid returns the dependence on two features as a table with a shade for each score.
func (f *Surface) grid() report.Grid {
	g := report.Grid{Head: []string{f.Features[1] + " \\ " + f.Features[0]},
		Caption: fmt.Sprintf("Mean score with these values of %s (across) and %s (down), less the mean score",
			f.Features[0], f.Features[1])}
	largest := 1e-300
	for i, x := range f.X {
		g.Head = append(g.Head, fmt.Sprintf("%.3g", x))
		for _, score := range f.Score[i] {
			largest = max(largest, math.Abs(float64(score)))
		}
	}
	for j := len(f.Y) - 1; j >= 0; j-- {
		row, shades := []string{fmt.Sprintf("%.3g", f.Y[j])}, []float64{0}
		for i := range f.X {
			row = append(row, fmt.Sprintf("%+.2g", f.Score[i][j]))
			shades = append(shades, float64(f.Score[i][j])/largest)
		}
		g.Rows, g.Marks = append(g.Rows, row), append(g.Marks, report.Mark{Shades: shades})
	}
	return g
}

func (r *Report) losses() topic {
	t := report.NewTable("", "query", "", "loss", "%.4f", "documents", "")
	for _, q := range r.Losses.Worst {
		t.Add(q.Query, q.Loss, q.Documents)
	}
	const title = "The queries that lose most"
	features, figures := blame(r.Losses.Features, r.Metric)
	text := "Which features put worse documents above better ones, and which queries lose most."
	if r.Losses.Unsplit > 0 {
		text += fmt.Sprintf(" Features have no part of %.4f: some queries have too many misplaced pairs.",
			r.Losses.Unsplit)
	}
	return topic{report.Section{ID: "losses", Title: "Losses", Figures: figures, Text: text,
		Tables: []report.Grid{t.Grid(title)},
	}, []*report.Table{features, shown(t, lines, title)}}
}
