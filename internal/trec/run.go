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
// A document that occurs twice in a query is an error, as in trec_eval.
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

// Query is a system's ranking for one query. Documents are in the order of the file.
type Query struct {
	ID     string
	Docs   []string
	Scores []float64 // by document; the highest score has the first rank
}

// Runs returns the queries of a run one by one, in the order of their first lines. The caller owns them.
// Memory holds the ids of all queries and the documents of one, and the error is [ErrQueryReturns] if the
// lines of a query are not consecutive. With anyOrder they need not be, and memory holds the whole run. path
// is the file name for errors. Errors in the file are a [*dataset.Error]; an error comes last, with an empty
// query.
func Runs(r io.Reader, path string, anyOrder bool) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		run := reading{anyOrder: anyOrder, numbers: map[string]int{}}
		for l, err := range lines(r, path, 6) {
			var ended *Query
			if err == nil {
				ended, err = run.add(l)
			}
			if err != nil {
				yield(Query{}, err)
				return
			}
			if ended != nil && !yield(*ended, nil) {
				return
			}
		}
		for _, q := range run.queries {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// reading is a run that is being read.
type reading struct {
	anyOrder bool
	numbers  map[string]int        // of all queries so far, by id
	queries  []Query               // all of them with anyOrder, and otherwise the latest
	present  []map[string]struct{} // the documents of these queries
}

// add adds the document of a line to its query. It returns the query before it if that is complete.
func (r *reading) add(l *line) (ended *Query, err error) {
	if len(l.fields) != 6 {
		return nil, &dataset.Error{Path: l.path, Line: l.number, Err: ErrFields}
	}
	score, err := l.value(4, true, ErrScore)
	if err != nil {
		return nil, err
	}
	number, known := r.numbers[l.fields[0]]
	first := len(r.numbers) - len(r.queries) // number of the first of r.queries
	switch {
	case known && number < first:
		return nil, l.fault(0, ErrQueryReturns)
	case !known:
		if len(r.queries) > 0 && !r.anyOrder {
			ended, r.queries = &r.queries[0], nil
			clear(r.present[0])
		} else {
			r.present = append(r.present, map[string]struct{}{})
		}
		number, first = len(r.numbers), len(r.numbers)-len(r.queries)
		id := strings.Clone(l.fields[0]) // otherwise it would keep the whole line in memory
		r.numbers[id] = number
		r.queries = append(r.queries, Query{ID: id})
	}
	q, present, doc := &r.queries[number-first], r.present[number-first], strings.Clone(l.fields[2])
	if _, repeated := present[doc]; repeated {
		return nil, l.fault(2, ErrRepeated)
	}
	present[doc] = struct{}{}
	q.Docs, q.Scores = append(q.Docs, doc), append(q.Scores, score)
	return ended, nil
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
