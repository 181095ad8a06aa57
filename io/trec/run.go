package trec

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Run is what a system ranked.
type Run struct {
	Tag     string  // of the first line: the system's name
	Queries []Query // in the order of their first lines
}

// Query is what a system ranked for one query. Documents are in the order of the
// file.
type Query struct {
	ID     string
	Docs   []string
	Scores []float64 // rank the documents, the highest first; as many as Docs
}

// ReadRun reads a run; path names it in errors. Lines may be in any order. An
// empty file is a run without queries.
func ReadRun(r io.Reader, path string) (*Run, error) {
	run := new(Run)
	place := map[string]int{}         // of a query, in run.Queries
	var present []map[string]struct{} // documents of each query
	for l, err := range lines(r, path) {
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
			id = strings.Clone(id) // not the whole line
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

// score checks the form of a line of a run and reads its score.
func (l *line) score() (float64, error) {
	if len(l.fields) != 6 {
		return 0, &Error{Path: l.path, Line: l.number, Err: ErrFields}
	}
	return l.finite(4, ErrScore)
}

// add adds the document of a line.
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

// StreamRun returns the queries of a run one by one, in the order of the file. A
// query whose lines do not follow each other is an error; ids of all queries are
// held in memory to see it, documents of one. A query is the caller's to keep.
// An error comes last.
func StreamRun(r io.Reader, path string) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		var q Query
		ended := map[string]struct{}{}
		present := map[string]struct{}{}
		for l, err := range lines(r, path) {
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

// AppendQuery appends to dst the lines of a query, by rank from 1; documents with
// equal scores keep their order. Scores have the fewest digits that read back to
// the same number. The error is [ErrWord] or [ErrScore], with what is wrong.
func AppendQuery(dst []byte, q Query, tag string) ([]byte, error) {
	if err := checkWords(append([]string{q.ID, tag}, q.Docs...)); err != nil {
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
