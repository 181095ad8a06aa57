package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// Option changes how [Train] works or lets the caller watch it.
type Option func(*trainOptions)

type trainOptions struct {
	objective objective.Objective
	booster   booster.Options
}

// WithObjective trains by an objective of the caller's own. Params.Objective is not consulted.
func WithObjective(o objective.Objective) Option {
	return func(t *trainOptions) { t.objective = o }
}

// WithMetrics evaluates metrics of the caller's own, after those of Params.Metric. Params.StopMetric
// may name one of them: then early stopping watches it.
func WithMetrics(metrics ...metric.Metric) Option {
	return func(t *trainOptions) { t.booster.Metrics = append(t.booster.Metrics, metrics...) }
}

// OnRound calls f after every tree, on the goroutine that called [Train].
func OnRound(f func(training.Round)) Option {
	return func(t *trainOptions) { t.booster.Round = f }
}

// WithProfile adds to p where the time of the training went.
func WithProfile(p *booster.Profile) Option {
	return func(t *trainOptions) { t.booster.Profile = p }
}

// Train grows trees on the training set of d, and evaluates its validation sets. Cancelling ctx ends
// training after the current tree, and the model so far is returned without an error.
// [booster.Train] lists the errors.
func Train(ctx context.Context, p Params, d *data.Loaded, options ...Option) (*booster.Result, error) {
	var t trainOptions
	for _, option := range options {
		option(&t)
	}
	train, valid := setsOf(d)
	return booster.Train(ctx, p.Params, train, valid, t.objective, t.booster)
}

// setsOf returns the data as package booster takes it.
func setsOf(d *data.Loaded) (train booster.Data, valid []booster.Data) {
	for _, s := range d.Validation {
		valid = append(valid, setOf(s))
	}
	return setOf(d.Training), valid
}

func setOf(s *data.Set) booster.Data {
	return booster.Data{Name: s.Name, Meta: s.Meta, Values: s.Bins}
}
