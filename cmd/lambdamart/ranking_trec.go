package main

import (
	"context"
	"errors"
	"io"

	"github.com/lambdamart/lambdamart/internal/group"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/io/trec"
	"github.com/lambdamart/lambdamart/metric"
)

// readQrels reads what is relevant.
func readQrels(path string) (qrels *trec.Qrels, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		qrels, err = trec.ReadQrels(r, name)
		return err
	})
	return qrels, err
}

func (o *options) runRanking(path string, qrels *trec.Qrels) ranking {
	return ranking{path, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		in, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer in.Close()
		err = o.joinRun(ctx, in, qrels, sink, odd, false)
		if errors.Is(err, trec.ErrQueryReturns) {
			err = o.joinRun(ctx, in, qrels, sink, odd, true)
		}
		return err
	}}
}

// joinRun makes the lists of a run: of its queries in the order of the run, and
// then of those of the qrels that it lacks. A run in which queries come back is
// read as a whole.
func (o *options) joinRun(ctx context.Context, in *stream.Input, qrels *trec.Qrels, sink group.Sink, odd *oddities, whole bool) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	*odd = oddities{Sorted: whole}
	sink.Reset()
	found := map[string]bool{}
	join := func(q trec.Query) error {
		judged, known := qrels.Judged[q.ID]
		found[q.ID] = true
		if !known {
			odd.QueriesNotKnown++
			return nil
		}
		list, unjudged := metric.Join(q.ID, q.Docs, q.Scores, judged)
		odd.Unjudged += unjudged
		odd.Rows += len(q.Docs)
		return errors.Join(context.Cause(ctx), sink.Add(list))
	}
	if err := eachQuery(r, in.Name(), whole, join); err != nil {
		return err
	}
	for _, id := range qrels.Queries {
		if found[id] {
			continue
		}
		odd.QueriesNotRun++
		if o.judging.absentQueries == absentZero {
			list, _ := metric.Join(id, nil, nil, qrels.Judged[id])
			if err := sink.Add(list); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachQuery calls join for the queries of a run.
func eachQuery(r io.Reader, name string, whole bool, join func(trec.Query) error) error {
	if whole {
		run, err := trec.ReadRun(r, name)
		if err != nil {
			return err
		}
		for _, q := range run.Queries {
			if err := join(q); err != nil {
				return err
			}
		}
		return nil
	}
	for q, err := range trec.StreamRun(r, name) {
		if err != nil {
			return err
		}
		if err := join(q); err != nil {
			return err
		}
	}
	return nil
}
