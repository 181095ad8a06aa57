package serving

import (
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/ranker"
	"github.com/lambdamart/lambdamart/serving/internal/repository"
)

// answer is a request in progress, with the values that metrics record.
type answer struct {
	version   *repository.Version // nil while it is not known
	documents int
}

// compute calls do as soon as one of the threads is free.
func (s *Server) compute(ctx context.Context, do func() error) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
		return do()
	case <-ctx.Done():
		return oip.Errorf(oip.CodeBusy, "the server could not start the request in time; try again later")
	}
}

// infer answers a request for scores.
func (s *Server) infer(ctx context.Context, r *oip.Request, a *answer) (*oip.Response, error) {
	v, err := s.models.Find(r.Model, r.Version)
	if err != nil {
		return nil, err
	}
	a.version = v
	if err := checkOutputs(r.Outputs); err != nil {
		return nil, err
	}
	scores, err := v.Ranker.Rank(ctx, r.Inputs)
	if err != nil {
		return nil, err
	}
	a.documents = len(scores)
	raw := r.Raw
	if len(r.Outputs) > 0 {
		raw = r.Outputs[0].Raw
	}
	return &oip.Response{Model: v.Name, Version: v.Version, ID: r.ID, Output: ranker.Score, Scores: scores,
		Raw: raw}, nil
}

// checkOutputs refuses unknown outputs.
func checkOutputs(wanted []oip.Wanted) error {
	for _, w := range wanted {
		if w.Name != ranker.Score {
			return oip.Invalid("there is no output %q; there is %q", w.Name, ranker.Score)
		}
	}
	if len(wanted) > 1 {
		return oip.Invalid("output %q is wanted twice", ranker.Score)
	}
	return nil
}

// ofContext returns err, or the reason why the request ended before it was read completely.
func ofContext(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return oip.Errorf(oip.CodeTimeout, "the time for the request is over")
	}
	return err
}
