package train

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
)

// resolve replaces constraints that are shares of what a model has by numbers.
func (r *run) resolve(ctx context.Context) error {
	all, err := rounds.Constraints(&r.Trees.Params)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Model == "" {
			continue
		}
		if err := r.resolveOne(ctx, &all[i]); err != nil {
			return fmt.Errorf("constraint=%v: %w", all[i], err)
		}
		r.Trees.Constraint[i] = all[i].String()
	}
	_, err = rounds.Constraints(&r.Trees.Params) // one may ask for more than a model can have
	return err
}

// resolveOne judges the model of a constraint on the set of the constraints.
func (r *run) resolveOne(ctx context.Context, c *rounds.Constraint) error {
	path := r.pathOf(cmp.Or(r.Trees.ConstraintSet, data.ValidationSet(0)))
	if len(r.Valid) == 0 && r.Trees.ConstraintSet == "" {
		return rounds.ErrNoConstraintSet
	}
	convention, err := metric.ConventionByName(r.Trees.MetricConvention, r.Trees.LabelGain)
	if err != nil {
		return err
	}
	m, err := metric.Parse(c.Metric, convention)
	if err != nil {
		return err
	}
	model, err := r.ReadShared(c.Model)
	if err != nil {
		return err
	}
	j, err := lambdamart.Evaluate(ctx, model, path, data.Options{Layout: r.Layout, Workers: r.Trees.NumThreads},
		m)
	if err != nil {
		return fmt.Errorf("judging the model: %w; or give a number", err)
	}
	text := fmt.Sprintf("constraint=%v: %s has %.5f on %s, so at least %.5f is asked for", *c, c.Model,
		j.Results[0].Mean, path, float64(c.Least*j.Results[0].Mean))
	c.Least, c.Model = float64(c.Least*j.Results[0].Mean), ""
	r.Messages.Say("bound", text, "constraint", c.String(), "least", c.Least)
	return nil
}

// showBounds says what the model has of the constraints.
func (r *run) showBounds(result *booster.Result) {
	for _, b := range result.Bounds {
		word := "met"
		if !b.Met() {
			word = "MISSED"
		}
		r.Messages.Say("constraint", fmt.Sprintf("constraint %s: %v", word, b), "met", b.Met(), "constraint",
			b.Constraint,
			"set", b.Set, "least", b.Least, "value", b.Value, "weight", b.Weight)
	}
	for _, b := range result.Bounds {
		if b.Met() {
			continue
		}
		advice := "allow less, train longer, or give the label's objective a larger weight"
		if b.Weight >= booster.MostWeight && result.Kept < result.Rounds {
			advice = fmt.Sprintf("its weight has reached %v, the largest there is, so training longer will not help: "+
				"allow less, or give other objectives of the label", booster.MostWeight)
		}
		r.Messages.Warn(fmt.Sprintf("the model misses the constraint %s: it has %.5f on %s, and no iteration has "+
			"more within all constraints; %s", b.Constraint, b.Value, b.Set, advice))
	}
}
