package judging

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric"
)

// takeReliability moves the metrics of probabilities out of the list of metrics.
func (p *evalParams) takeReliability(env *cli.Env) error {
	for _, name := range p.Metric {
		if metric.OfDocuments(name) {
			p.asked = append(p.asked, strings.ToLower(name))
		}
	}
	if len(p.asked) == 0 {
		if p.Event != "" {
			return cli.Usagef("calibration_label=%s is for metric=ece, log_loss and brier; name one of them", p.Event)
		}
		return nil
	}
	if env.Peers.Size() > 1 {
		return cli.Usagef("metric=%s is judged by one process, and a launcher has started %d", p.asked[0],
			env.Peers.Size())
	}
	if p.Metric = slices.DeleteFunc(slices.Clone(p.Metric), metric.OfDocuments); len(p.Metric) == 0 {
		p.Metric = []string{"ndcg@10"} // a judgment is of a ranking
	}
	grade := 1.0
	if c := lambdamart.CalibrationOf(p.read[p.Model]); c != nil {
		grade = c.Event
	} else if labels := p.Layout.LabelNames(); len(labels) > 1 {
		if text := cli.OtherLabel(p.read[p.Model], labels[0], "judged by"); text != "" {
			env.Messages.Warn(text)
		}
	}
	if p.Event != "" {
		var err error
		if grade, err = cli.Event(p.Event); err != nil {
			return err
		}
	}
	p.event = &grade
	return nil
}

// ofProbabilities returns the table of the metrics of probabilities.
func (j *judgment) ofProbabilities() *report.Table {
	t := report.NewTable("probabilities", "metric", "", "event", "", "value", "%.5f")
	for _, name := range j.probabilities {
		t.Add(name, fmt.Sprintf("grade>=%v", *j.event), j.Reliability.Of(name))
	}
	return t
}

// reliability returns a table with a row for each bin of the reliability diagram.
func (j *judgment) reliability() *report.Table {
	t := report.NewTable("reliability", "documents", "%.0f", "mean_probability", "%.4f", "share_of_events",
		"%.4f")
	for _, b := range j.Reliability.Bins {
		t.Add(b.Documents, b.Probability, b.Events)
	}
	return t
}

// diagram returns the section with the reliability diagram for the report: probabilities that are right lie
// on the diagonal.
func (j *judgment) diagram() report.Section {
	s := report.Section{ID: "reliability", Title: "Probabilities",
		Text: "Documents in bins of equal numbers, by their probability. Above the line, events are more " +
			"frequent than predicted, and below it rarer.",
		Tables: []report.Grid{j.ofProbabilities().Grid("Metrics of probabilities")}}
	bins := plot.Series{Name: "events"}
	end := 0.0
	for _, b := range j.Reliability.Bins {
		bins.Points = append(bins.Points, plot.Point{X: b.Probability, Y: b.Events})
		end = max(end, b.Probability, b.Events)
	}
	if len(bins.Points) == 0 {
		return s
	}
	diagonal := plot.Series{Name: "as predicted", Color: 7, Points: []plot.Point{{}, {X: end, Y: end}}}
	s.Figures = []report.Figure{{
		Caption: "Share of events by mean probability", Table: j.reliability().Grid("Bins of documents"),
		Chart: &plot.Lines{ID: "reliability-diagram", Title: "Reliability diagram",
			Description: "The share of events in each bin of documents by its mean probability, and a line on which " +
				"both are equal",
			XLabel: "mean probability", YLabel: "share of events", Series: []plot.Series{bins, diagonal}},
	}}
	return s
}
