// Package trec reads and writes the two text formats of the Text REtrieval Conference: runs, which are the
// rankings of a system, and qrels, which are relevance judgments.
//
// A line has the following fields, separated by blanks (spaces or tabs):
//
//	query Q0 document rank score tag     in a run
//	query iteration document relevance   in qrels
//
// Queries, documents and tags are any words without blanks. Blank lines are skipped, and so are comments,
// which begin with a number sign; a line may end with CR LF. As in trec_eval, only scores order the
// documents of a query: Q0, the rank and the iteration may be any words and are ignored. Scores and
// relevance are finite decimal numbers; a score may also be NaN, for a document that is not ranked.
// Relevance may be fractional, and may be negative, for example for spam or for a document that is in the
// pool but was not judged; the convention of the metric defines what that means.
//
// A document that occurs twice in a query is an error, as in trec_eval. [ReadRun] and [ReadQrels] accept
// lines in any order. [StreamRun] keeps one query in memory and requires the lines
// of a query to be consecutive.
package trec

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// Run is the rankings of a system.
type Run struct {
	Tag     string  // of the first line: the system's name
	Queries []Query // in the order of their first lines
}

// Query is a system's ranking for one query. Documents are in the order of the file.
type Query struct {
	ID     string
	Docs   []string
	Scores []float64 // by document; the highest score has the first rank
}

// ReadRun reads a run, whose lines may be in any order. An empty file is a run without queries. path is the
// file name for errors. Errors in the file are a [*dataset.Error].
func ReadRun(r io.Reader, path string) (*Run, error) {
	run := new(Run)
	place := map[string]int{}         // by query id: index in run.Queries
	var present []map[string]struct{} // by query: its documents so far
	for l, err := range lines(r, path, 6) {
		if err != nil {
			return nil, err
		}
		score, err := l.score()
		if err != nil {
			return nil, err
		}
		id := l.fields[0]
		at, known := place[id]
		if !known {
			at = len(run.Queries)
			id = strings.Clone(id) // otherwise it would keep the whole line in memory
			place[id] = at
			run.Queries = append(run.Queries, Query{ID: id})
			present = append(present, map[string]struct{}{})
		}
		if run.Tag == "" {
			run.Tag = strings.Clone(l.fields[5])
		}
		if err := run.Queries[at].add(l, score, present[at]); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// score checks the number of fields of a run's line and returns its score, which may be NaN.
func (l *line) score() (float64, error) {
	if len(l.fields) != 6 {
		return 0, &dataset.Error{Path: l.path, Line: l.number, Err: ErrFields}
	}
	return l.value(4, true, ErrScore)
}

// add adds the document of a line to the query. present has the documents of the query so far.
func (q *Query) add(l *line, score float64, present map[string]struct{}) error {
	doc := strings.Clone(l.fields[2])
	if _, repeated := present[doc]; repeated {
		return l.fault(2, ErrRepeated)
	}
	present[doc] = struct{}{}
	q.Docs = append(q.Docs, doc)
	q.Scores = append(q.Scores, score)
	return nil
}

// StreamRun returns the queries of a run one by one, in the order of the file. If the lines of a query are
// not consecutive, the error is [ErrQueryReturns]. Memory holds the ids of all queries and the documents of
// one. The caller owns the queries. An error comes last, with an empty query.
func StreamRun(r io.Reader, path string) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		var q Query
		ended := map[string]struct{}{}
		present := map[string]struct{}{}
		for l, err := range lines(r, path, 6) {
			var score float64
			if err == nil {
				score, err = l.score()
			}
			if err == nil && l.fields[0] != q.ID {
				if q.ID != "" && !yield(q, nil) {
					return
				}
				ended[q.ID] = struct{}{}
				q = Query{ID: strings.Clone(l.fields[0])}
				clear(present)
				if _, returns := ended[q.ID]; returns {
					err = l.fault(0, ErrQueryReturns)
				}
			}
			if err == nil {
				err = q.add(l, score, present)
			}
			if err != nil {
				yield(Query{}, err)
				return
			}
		}
		if q.ID != "" {
			yield(q, nil)
		}
	}
}

// AppendQuery appends the lines of a query to dst, ordered by rank, which counts from 1. Documents with equal
// scores keep their order. Scores have the fewest digits from which the same number is read back. The error
// wraps [ErrWord], [ErrWrittenTwice] or [ErrWrittenScore].
func AppendQuery(dst []byte, q Query, tag string) ([]byte, error) {
	if err := checkWords(append([]string{q.ID, tag}, q.Docs...)); err != nil {
		return dst, err
	}
	if err := checkDistinct(q); err != nil {
		return dst, err
	}
	order := make([]int, len(q.Docs))
	for i := range order {
		order[i] = i
		if err := checkScore(q.Scores[i]); err != nil {
			return dst, err
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(q.Scores[b], q.Scores[a]) })
	for rank, i := range order {
		dst = appendLine(dst, q.ID, "Q0", q.Docs[i])
		dst = strconv.AppendInt(append(dst, ' '), int64(rank+1), 10)
		dst = appendFloat(append(dst, ' '), q.Scores[i])
		dst = append(append(append(dst, ' '), tag...), '\n')
	}
	return dst, nil
}

// Qrels are relevance judgments.
type Qrels struct {
	Queries []string                      // ids, in the order of their first lines
	Judged  map[string]map[string]float64 // relevance by query, then document
}

// ReadQrels reads qrels, whose lines may be in any order. path is the file name for errors. Errors in the
// file are a [*dataset.Error].
func ReadQrels(r io.Reader, path string) (*Qrels, error) {
	q := &Qrels{Judged: map[string]map[string]float64{}}
	for l, err := range lines(r, path, 4) {
		if err != nil {
			return nil, err
		}
		if len(l.fields) != 4 {
			return nil, &dataset.Error{Path: path, Line: l.number, Err: ErrQrelsFields}
		}
		relevance, err := l.value(3, false, ErrRelevance)
		if err != nil {
			return nil, err
		}
		judged := q.Judged[l.fields[0]]
		if judged == nil {
			judged = map[string]float64{}
			id := strings.Clone(l.fields[0])
			q.Judged[id] = judged
			q.Queries = append(q.Queries, id)
		}
		if _, repeated := judged[l.fields[2]]; repeated {
			return nil, l.fault(2, ErrRepeated)
		}
		judged[strings.Clone(l.fields[2])] = relevance
	}
	if len(q.Queries) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNoJudgments)
	}
	return q, nil
}
