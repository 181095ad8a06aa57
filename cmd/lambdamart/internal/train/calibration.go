package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// Calibration holds the parameters of probabilities that are fitted on labeled data.
type Calibration struct {
	Kind, Event string
	event       tree.Event // in Event
}

// noCalibration is the kind that fits nothing.
const noCalibration = "none"

// DefaultCalibration returns a calibration of a kind.
func DefaultCalibration(kind string) Calibration { return Calibration{Kind: kind, Event: "grade>=1"} }

// Table returns the parameters, bound to c.
func (c *Calibration) Table() param.Table {
	return param.Table{
		{Name: "calibration", Group: cli.GroupCalibration,
			Help: "Probabilities to fit: in train on the first validation set, after training. isotonic: steps that " +
				"rise, for a thousand events or so at least. platt: a sigmoid. auto: the one that has the lower log " +
				"loss on queries that it was not fitted on.",
			Value: bind.Choice(&c.Kind, noCalibration, evaluate.Auto, tree.Isotonic, tree.Platt)},
		cli.CalibrationLabel(&c.Event),
	}
}

// Check reads the event. labels are those of label_columns, if it is given.
func (c *Calibration) Check(labels []string) (err error) {
	c.event, err = cli.Event(c.Event, labels)
	return err
}

// check returns an error for what can be known before data is read.
func (c *Calibration) check(p *Params, env *cli.Env) error {
	why := ""
	switch {
	case c.Kind == noCalibration:
		return nil
	case len(p.Valid) == 0:
		why = "it needs a validation set: give valid=FILE, or run lambdamart calibrate with other labeled data"
	case env.Peers.Size() > 1:
		why = "one process fits it, and a launcher has started several; run lambdamart calibrate afterwards"
	default:
		return c.Check(p.Layout.LabelNames())
	}
	return cli.Usagef("calibration=%s: %s", c.Kind, why)
}

// checkData returns an error for validation data on which nothing can be fitted. path is the name of
// its file.
func (c *Calibration) checkData(path string, m *dataset.Meta, stored bool) error {
	if c.Kind == noCalibration {
		return nil
	}
	if stored {
		return fmt.Errorf("%s: calibration=%s needs values of features, and stored bins have none; give the data, "+
			"or run lambdamart calibrate with it", path, c.Kind)
	}
	good, all, err := outcomes(m, c.event)
	if err != nil {
		return fmt.Errorf("%s: calibration_label=%s: %w", path, c.Event, err)
	}
	if good == 0 || good == all {
		return fmt.Errorf("%s: %s of %s with a weight %s of %s: %w", path, wording.Thousands(good),
			wording.Count(all, "document"), wording.Agree(good, "is", "are"), c.Event, evaluate.ErrOneOutcome)
	}
	return nil
}

// outcomes returns how many documents with a weight are of the event, and how many there are.
func outcomes(m *dataset.Meta, event tree.Event) (good, all int, err error) {
	labels, err := m.LabelsOf(event.Label)
	for i, y := range labels {
		if m.Weights != nil && m.Weights[i] == 0 {
			continue
		}
		if all++; y >= event.Grade {
			good++
		}
	}
	return good, all, err
}

// calibrate returns the model with probabilities that are fitted on the first validation set, if they are
// wanted. If that fails, the model remains as it is.
func (r *run) calibrate(ctx context.Context, m lambdamart.Model) (lambdamart.Model, error) {
	if r.Kind == noCalibration {
		return m, nil
	}
	o := data.Options{Layout: r.Layout, Workers: r.Learner().Shared.NumThreads}
	fitted, err := r.Fit(ctx, m, r.OutputModel, r.Valid[0], o, r.Messages)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil { // whoever notices first returns it, or context.Canceled
			err = cause
		}
		return m, fmt.Errorf("calibration=%s: %w; the model has no probabilities, which lambdamart calibrate can "+
			"fit", r.Kind, err)
	}
	return fitted, nil
}

// Fit returns the model with probabilities that are fitted on a file. model is the name of the model.
func (c *Calibration) Fit(ctx context.Context, m lambdamart.Model, model, path string, o data.Options,
	messages *cli.Console) (lambdamart.Model, error) {
	scorer, err := lambdamart.Compile(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	src, err := cli.OpenFor(m, model, path, o, messages)
	if err != nil {
		return nil, err
	}
	scored, err := scoring.Scores(scorer).All(ctx, src)
	messages.EndProgress()
	if err := errors.Join(err, src.Close()); err != nil {
		return nil, err
	}
	cli.ShowSummary(scored.Summary, messages)
	messages.Warn(CalibrationCautions(m, scored.Meta, c.event)...)
	fitted, err := evaluate.Calibrate(ctx, c.Kind, scored.Meta, scored.Numbers, c.event)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.show(fitted, scored.Meta, messages)
	return lambdamart.Calibrated(m, fitted)
}

// fewOutcomes is the number of documents of an outcome below which probabilities are little more than a
// guess.
const fewOutcomes = 10

// CalibrationCautions returns warnings about labeled data on which probabilities of a model are fitted.
func CalibrationCautions(m lambdamart.Model, on *dataset.Meta, event tree.Event) (warnings []string) {
	good, all, err := outcomes(on, event)
	if err != nil || good == 0 || good == all {
		return nil // an error of [evaluate.Calibrate]
	}
	if min(good, all-good) < fewOutcomes {
		warnings = append(warnings, fmt.Sprintf("%s of %s %s of %v: probabilities fitted on fewer than %d "+
			"documents of each outcome are a guess; give more labeled data", wording.Thousands(good),
			wording.Count(all, "document"), wording.Agree(good, "is", "are"), event, fewOutcomes))
	}
	if text := cli.OfTraining(m, on.NumRows(), len(on.Queries), "the probabilities are too close to 0 and 1; "+
		"fit them on other queries"); text != "" {
		warnings = append(warnings, text)
	}
	if len(on.More) > 0 {
		if text := cli.OtherLabel(m, event, on.LabelName, "of"); text != "" {
			warnings = append(warnings, text)
		}
	}
	return warnings
}

// show says what was fitted.
func (c *Calibration) show(fitted *tree.Calibration, on *dataset.Meta, messages *cli.Console) {
	event := c.event
	if len(on.More) > 0 {
		event.Label = cmp.Or(event.Label, on.LabelName)
	}
	text := fmt.Sprintf("probability of %v from %s: ", event, wording.Count(on.NumRows(), "document"))
	if fitted.Kind == tree.Platt {
		text += fmt.Sprintf("platt, 1/(1+e^(%.4g*score%+.4g))", fitted.A, fitted.B)
	} else {
		text += fmt.Sprintf("isotonic, %s", wording.Count(len(fitted.Scores), "score"))
	}
	messages.Say("calibrated", text, "calibration", fitted.Kind, "rows", on.NumRows())
}
