package judging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// takeReliability moves the metrics of probabilities out of the list of metrics.
func (p *evalParams) takeReliability(env *cli.Env) error {
	var rest []string
	named := "" // the label that they name, if they name one
	for _, spec := range p.Metric {
		name, label, is := metric.OfDocuments(spec)
		if !is {
			rest = append(rest, spec)
			continue
		}
		if len(p.asked) > 0 && label != named {
			return cli.Usagef("metric=%s: the probabilities are of one label, which calibration_label names; give "+
				"eval for each", strings.Join(p.Metric, ","))
		}
		p.asked, named = append(p.asked, name), label
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
	if err := p.chooseEvent(env, named); err != nil {
		return err
	}
	if p.Metric = rest; len(rest) == 0 { // a judgment is of a ranking
		p.Metric = []string{"ndcg@10"}
		if p.event.Label != "" {
			p.Metric[0] += "@" + p.event.Label
		}
	}
	return nil
}

// chooseEvent chooses the event by which probabilities are judged: the given one, or that of the model. named
// is the label that metrics name, if they name one.
func (p *evalParams) chooseEvent(env *cli.Env, named string) (err error) {
	event, labels := tree.Event{Grade: 1}, p.Layout.LabelNames()
	c, trained := lambdamart.CalibrationOf(p.read[p.Model]), cli.TrainedOn(p.read[p.Model])
	switch {
	case c != nil:
		event = c.Event
	case len(trained) == 1 && slices.Contains(labels, trained[0]):
		event.Label = trained[0]
	}
	if p.Event != "" {
		if event, err = cli.Event(p.Event, labels); err != nil {
			return err
		}
		if named != "" && named != event.Label {
			return cli.Usagef("metric=%s@%s and calibration_label=%s: leave one of the labels out", p.asked[0], named,
				p.Event)
		}
	}
	event.Label = cmp.Or(named, event.Label)
	p.event = &event
	text := ""
	switch {
	case c == nil && len(labels) > 1:
		text = cli.OtherLabel(p.read[p.Model], event, labels[0], "judged by")
	case c != nil && event != c.Event:
		text = fmt.Sprintf("the model's probabilities are of %v, and they are judged by %v", c.Event, event)
	}
	if text != "" {
		env.Messages.Warn(text)
	}
	return nil
}

// ofProbabilities returns the table of the metrics of probabilities.
func (j *judgment) ofProbabilities() *report.Table {
	t := report.NewTable("probabilities", "metric", "", "event", "", "value", "%.5f")
	for _, name := range j.probabilities {
		t.Add(name, j.event.String(), j.Reliability.Of(name))
	}
	return t
}

// oneOutcome returns a remark if all documents that count are of the event, or none is.
func (j *judgment) oneOutcome() []string {
	if len(j.Reliability.Bins) == 0 {
		return nil // as withoutValue says
	}
	least, most := 1.0, 0.0
	for _, b := range j.Reliability.Bins {
		least, most = min(least, b.Events), max(most, b.Events)
	}
	which := "all documents are"
	switch {
	case most == 0:
		which = "no document is"
	case least < 1:
		return nil
	}
	return []string{fmt.Sprintf("%s of %v, and probabilities are judged by documents of both outcomes; choose "+
		"another event by calibration_label=, or give other data", which, j.event)}
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
