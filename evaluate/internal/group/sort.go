package group

import "context"

// sorted makes lists of rows that arrive in any order.
func sorted(ctx context.Context, src Source, sink Sink) (Stats, error) {
	s := &sorter{numbers: map[string]uint32{}, lists: lists{sink: sink}}
	err := src(ctx, s.add)
	if err == nil {
		err = s.list()
	}
	return Stats{Rows: s.lists.rows, Queries: len(s.ids), Sorted: true}, err
}

// sorter sorts rows by query. Queries are numbered by their first rows.
type sorter struct {
	numbers map[string]uint32 // of queries, by id
	ids     []string          // by number
	lists   lists
	chunks  [][]row  // chunkRows in each
	count   int      // number of rows
	docs    []string // their document ids, if rows are named
	named   bool     // rows have document ids
}

// row is a row without its document id.
type row struct {
	label, score float64
	query        uint32
}

func (s *sorter) add(rows Rows) error {
	s.named = rows.Docs != nil
	last := ""
	number := uint32(0)
	for i, id := range rows.Query {
		if i == 0 || id != last {
			last, number = id, s.number(id)
		}
		s.push(row{rows.Labels[i], rows.Scores[i], number})
	}
	s.docs = append(s.docs, rows.Docs...)
	return nil
}

// number returns the number of a query.
func (s *sorter) number(id string) uint32 {
	number, known := s.numbers[id]
	if !known {
		number = uint32(len(s.ids))
		s.numbers[id], s.ids = number, append(s.ids, id)
	}
	return number
}

// chunkRows is the number of rows of a chunk. A single growing slice would be copied, and would need twice
// its memory meanwhile.
const chunkRows = 1 << 14

func (s *sorter) push(r row) {
	chunk := s.count / chunkRows
	if chunk == len(s.chunks) {
		s.chunks = append(s.chunks, make([]row, chunkRows))
	}
	s.chunks[chunk][s.count%chunkRows] = r
	s.count++
}

// sortedRows are rows in the order of their queries and, within a query, of the input.
type sortedRows struct {
	ends           []int // by query: the index after its last row
	labels, scores []float64
	docs           []string // nil where rows are not named
}

// of returns the rows of a query.
func (r *sortedRows) of(query int) (labels, scores []float64, docs []string) {
	from, to := 0, r.ends[query]
	if query > 0 {
		from = r.ends[query-1]
	}
	if r.docs != nil {
		docs = r.docs[from:to]
	}
	return r.labels[from:to], r.scores[from:to], docs
}

// sort sorts the rows by query, with a counting sort: it counts the rows of each query, which gives
// the place of its first one, and then copies the rows to their places in input order. Sequential reads with
// scattered writes are faster than the reverse.
func (s *sorter) sort() *sortedRows {
	r := &sortedRows{labels: make([]float64, s.count), scores: make([]float64, s.count)}
	if s.named {
		r.docs = make([]string, s.count)
	}
	next := make([]int, len(s.ids)+1) // place of each query's next row
	for i := range s.count {
		next[s.row(i).query+1]++
	}
	for query := 1; query < len(next); query++ {
		next[query] += next[query-1]
	}
	for i := range s.count {
		row := s.row(i)
		place := next[row.query]
		next[row.query]++
		r.labels[place], r.scores[place] = row.label, row.score
		if s.named {
			r.docs[place] = s.docs[i]
		}
	}
	r.ends = next // the index after the last row of each query
	return r
}

func (s *sorter) row(i int) *row { return &s.chunks[i/chunkRows][i%chunkRows] }

// list makes the lists of the sorted rows.
func (s *sorter) list() error {
	rows := s.sort()
	for query, id := range s.ids {
		if err := s.lists.begin(id); err != nil {
			return err
		}
		s.lists.add(rows.of(query))
	}
	return s.lists.flush()
}
