package evaluate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/trec"
	"github.com/lambdamart/lambdamart/metric"
)

// Qrels tell which documents are relevant to which queries.
type Qrels struct {
	// LeaveOutAbsent leaves out the queries that a run lacks, as trec_eval does without -c. Otherwise they
	// count as rankings without documents, as with -c.
	LeaveOutAbsent bool

	judged *trec.Qrels
}

// ReadQrels reads TREC qrels, whose lines are "query 0 document relevance" in any order. path is for errors,
// which name the line.
func ReadQrels(r io.Reader, path string) (*Qrels, error) {
	judged, err := trec.ReadQrels(r, path)
	if err != nil {
		return nil, err
	}
	return &Qrels{judged: judged}, nil
}

// FromRun returns the ranking of a TREC run in a file, whose lines are "query Q0 document rank score tag",
// with the relevance of documents from qrels. Queries are in the order of the run, followed by those of the
// qrels that it lacks. A run in which the lines of a query are not consecutive is read twice, and is then in
// memory. The path "-" is standard input. Errors about the run name the line.
func FromRun(system, path string, qrels *Qrels) Ranking {
	return Ranking{system, func(ctx context.Context, j *judge) error {
		run, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer run.Close()
		err = j.joined(ctx, run, qrels, false)
		if errors.Is(err, trec.ErrQueryReturns) {
			err = j.joined(ctx, run, qrels, true)
			j.Anomalies.Sorted = true
		}
		return err
	}}
}

// joined judges the queries of a run, joined with their judgments, and then the queries that it lacks.
// anyOrder is as for [trec.Runs].
func (j *judge) joined(ctx context.Context, in *stream.Input, qrels *Qrels, anyOrder bool) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	j.reset()
	j.Anomalies.AbsentLeftOut = qrels.LeaveOutAbsent
	seen := map[string]bool{}
	for q, err := range trec.Runs(r, in.Name(), anyOrder) {
		if err == nil {
			seen[q.ID] = true
			err = cmp.Or(j.addJoined(q, qrels.judged), context.Cause(ctx))
		}
		if err != nil {
			return err
		}
	}
	for _, id := range qrels.judged.Queries {
		if seen[id] {
			continue
		}
		j.Anomalies.AbsentFromRun++
		if qrels.LeaveOutAbsent {
			continue
		}
		list, _ := join(trec.Query{ID: id}, qrels.judged.Judged[id])
		if err := j.add(list); err != nil {
			return err
		}
	}
	return nil
}

// addJoined judges a query of the run, unless the qrels lack it.
func (j *judge) addJoined(q trec.Query, qrels *trec.Qrels) error {
	judged, known := qrels.Judged[q.ID]
	if !known {
		j.Anomalies.AbsentFromQrels++
		return nil
	}
	j.Anomalies.Documents += len(q.Docs)
	j.Anomalies.countScores(q.Scores)
	list, unjudged := join(q, judged)
	j.Anomalies.Unjudged += unjudged
	return j.add(list)
}

// join returns the list of a query of a run. judged has the labels by document id. A ranked document without
// a judgment has the label 0; unjudged is the number of such documents. Judged documents that are not ranked,
// because the run lacks them or has NaN as their score, become [metric.List.Unranked].
func join(q trec.Query, judged map[string]float64) (l metric.List, unjudged int) {
	l = metric.List{Query: q.ID, Docs: []string{}, Judged: []bool{}}
	ranked := make(map[string]bool, len(q.Docs))
	for i, doc := range q.Docs {
		if math.IsNaN(q.Scores[i]) {
			continue
		}
		label, known := judged[doc]
		if !known {
			unjudged++
		}
		l.Docs, l.Scores = append(l.Docs, doc), append(l.Scores, q.Scores[i])
		l.Labels, l.Judged = append(l.Labels, label), append(l.Judged, known)
		ranked[doc] = true
	}
	for _, doc := range slices.Sorted(maps.Keys(judged)) {
		if !ranked[doc] {
			l.Unranked = append(l.Unranked, judged[doc])
		}
	}
	return l, unjudged
}
