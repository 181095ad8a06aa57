package trec

import (
	"io"
	"maps"
	"slices"
	"strings"
)

// Qrels are relevance judgments.
type Qrels struct {
	Queries []string                      // ids, in the order of their first lines
	Judged  map[string]map[string]float64 // relevance by query, then document
}

// ReadQrels reads qrels, whose lines may be in any order. path is the file name for errors. Errors in the
// file are of type [*Error].
func ReadQrels(r io.Reader, path string) (*Qrels, error) {
	q := &Qrels{Judged: map[string]map[string]float64{}}
	for l, err := range lines(r, path) {
		if err != nil {
			return nil, err
		}
		if len(l.fields) != 4 {
			return nil, &Error{Path: path, Line: l.number, Err: ErrQrelsFields}
		}
		relevance, err := l.finite(3, ErrRelevance)
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
	return q, nil
}

// AppendQrels appends the lines of q to dst, the documents of a query ordered by id. The error
// wraps [ErrWord].
func AppendQrels(dst []byte, q *Qrels) ([]byte, error) {
	for _, query := range q.Queries {
		docs := slices.Sorted(maps.Keys(q.Judged[query]))
		if err := checkWords(append([]string{query}, docs...)); err != nil {
			return dst, err
		}
		for _, doc := range docs {
			dst = appendLine(dst, query, "0", doc)
			dst = append(appendFloat(append(dst, ' '), q.Judged[query][doc]), '\n')
		}
	}
	return dst, nil
}
