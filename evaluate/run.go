package evaluate

import (
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
		join := &joiner{judge: j, qrels: qrels}
		err = join.read(ctx, run, eachStreamed)
		if errors.Is(err, trec.ErrQueryReturns) {
			err = join.read(ctx, run, eachInMemory)
			j.found.Sorted = true
		}
		return err
	}}
}

// joiner joins the documents of a run with their judgments.
type joiner struct {
	*judge
	qrels *Qrels
	seen  map[string]bool // queries of the run
}

// read judges the queries in a file, and the queries that it lacks.
func (j *joiner) read(ctx context.Context, in *stream.Input, each func(r io.Reader, name string,
	do func(trec.Query) error) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	return j.join(ctx, func(do func(trec.Query) error) error { return each(r, in.Name(), do) })
}

// join judges the queries that each passes to do, and the queries that are not among them.
func (j *joiner) join(ctx context.Context, each func(do func(trec.Query) error) error) error {
	j.Reset()
	j.found.AbsentLeftOut = j.qrels.LeaveOutAbsent
	j.seen = map[string]bool{}
	if err := each(func(q trec.Query) error { return j.add(ctx, q) }); err != nil {
		return err
	}
	return j.addAbsent()
}

// add judges a query of the run.
func (j *joiner) add(ctx context.Context, q trec.Query) error {
	judged, known := j.qrels.judged.Judged[q.ID]
	j.seen[q.ID] = true
	if !known {
		j.found.AbsentFromQrels++
		return nil
	}
	j.found.Documents += len(q.Docs)
	j.found.countScores(q.Scores)
	q = ranked(q)
	list, unjudged := join(q.ID, q.Docs, q.Scores, judged)
	j.found.Unjudged += unjudged
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return j.Add(list)
}

// ranked returns a query of a run without the documents whose score is NaN.
func ranked(q trec.Query) trec.Query {
	if countNaN(q.Scores) == 0 {
		return q
	}
	all := trec.Query{ID: q.ID}
	for i, score := range q.Scores {
		if !math.IsNaN(score) {
			all.Docs, all.Scores = append(all.Docs, q.Docs[i]), append(all.Scores, score)
		}
	}
	return all
}

// addAbsent judges the queries that the run lacks, or leaves them out.
func (j *joiner) addAbsent() error {
	for _, id := range j.qrels.judged.Queries {
		if j.seen[id] {
			continue
		}
		j.found.AbsentFromRun++
		if j.qrels.LeaveOutAbsent {
			continue
		}
		list, _ := join(id, nil, nil, j.qrels.judged.Judged[id])
		if err := j.Add(list); err != nil {
			return err
		}
	}
	return nil
}

// eachStreamed calls do for each query of a run, with one query in memory. If the lines of a query are not
// consecutive, it returns an error that wraps [trec.ErrQueryReturns].
func eachStreamed(r io.Reader, name string, do func(trec.Query) error) error {
	for q, err := range trec.StreamRun(r, name) {
		if err != nil {
			return err
		}
		if err := do(q); err != nil {
			return err
		}
	}
	return nil
}

// eachInMemory is like eachStreamed for lines in any order; it holds the whole run in memory.
func eachInMemory(r io.Reader, name string, do func(trec.Query) error) error {
	run, err := trec.ReadRun(r, name)
	if err != nil {
		return err
	}
	for _, q := range run.Queries {
		if err := do(q); err != nil {
			return err
		}
	}
	return nil
}

// join returns the list of a query whose ranking and judgments are separate, as in TREC runs and qrels. docs
// and scores are the ranking; judged has the labels by document id. A ranked document without a judgment has
// the label 0; unjudged is the number of such documents. Judged documents that are not ranked become
// [metric.List.Unranked]. The list shares docs and scores.
func join(query string, docs []string, scores []float64, judged map[string]float64) (l metric.List,
	unjudged int) {
	l = metric.List{Query: query, Docs: docs, Scores: scores, Labels: make([]float64, len(docs)),
		Judged: make([]bool, len(docs))}
	ranked := make(map[string]struct{}, len(docs))
	for i, doc := range docs {
		label, known := judged[doc]
		if !known {
			unjudged++
		}
		l.Judged[i] = known
		l.Labels[i] = label
		ranked[doc] = struct{}{}
	}
	for _, doc := range slices.Sorted(maps.Keys(judged)) {
		if _, ok := ranked[doc]; !ok {
			l.Unranked = append(l.Unranked, judged[doc])
		}
	}
	return l, unjudged
}
