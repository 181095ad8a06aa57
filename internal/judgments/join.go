package judgments

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/judgments/featurelog"
	"github.com/lambdamart/lambdamart/internal/trec"
)

// ErrNothing means that no logged document is judged.
var ErrNothing = errors.New("no logged document is judged: do the ids of queries and documents agree?")

// Joined is the result of [Join].
type Joined struct {
	Data dataset.Columned // documents and features in the order of the log

	Queries  int // that have rows
	Rows     int
	Unjudged int    // logged documents without a judgment
	Unlogged int    // judged documents that were not logged
	Example  string // one of them, "query Q, document D"; "" if there is none
}

// Join returns the logged documents with their grades. A document without a judgment is left out or, if
// unjudged is true, has the grade 0. A query without a judgment is left out.
func Join(log *featurelog.Log, q *trec.Qrels, unjudged bool) (*Joined, error) {
	j := &Joined{}
	m := dataset.Meta{Features: log.Features}
	var values []float64
	for _, query := range log.Queries {
		grades, first := q.Judged[query.ID], len(m.Labels)
		for _, d := range query.Docs {
			grade, judged := grades[d.ID]
			if !judged {
				j.Unjudged++
			}
			if !judged && (!unjudged || grades == nil) {
				continue
			}
			m.Labels, m.Docs, values = append(m.Labels, grade), append(m.Docs, d.ID), append(values, d.Values...)
		}
		if n := len(m.Labels) - first; n > 0 {
			m.Queries = append(m.Queries, dataset.Query{ID: query.ID, First: first, Len: n})
		}
	}
	j.countUnlogged(log, q)
	if len(m.Labels) == 0 {
		return nil, ErrNothing
	}
	j.Queries, j.Rows = len(m.Queries), len(m.Labels)
	var err error
	j.Data, err = dataset.NewDense(m, values)
	return j, err
}

// countUnlogged counts the judged documents that are not in the log.
func (j *Joined) countUnlogged(log *featurelog.Log, q *trec.Qrels) {
	for _, id := range q.Queries {
		logged := log.Documents(id)
		for document := range q.Judged[id] {
			if logged[document] {
				continue
			}
			j.Unlogged++
			if text := fmt.Sprintf("query %s, document %s", id, document); j.Example == "" || text < j.Example {
				j.Example = text
			}
		}
	}
}
