package trec

import (
	"fmt"
	"io"
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
	for l, err := range lines(r, path, 4) {
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
	if len(q.Queries) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNoJudgments)
	}
	return q, nil
}
