package group

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// sorted makes lists of rows that arrive in any order.
func sorted(ctx context.Context, src Source, opts Options, sink Sink) (Stats, error) {
	s := &sorter{opts: opts, numbers: newNumbers(), lists: lists{sink: sink}}
	defer s.close()
	err := src(ctx, s.add)
	if err == nil && len(s.runs) == 0 {
		err = s.listMemory()
	} else if err == nil {
		err = s.merge(ctx)
	}
	return Stats{Rows: s.lists.rows, Queries: len(s.numbers.ids), Sorted: true, Stored: s.stored}, err
}

// sorter sorts rows by query. Queries are numbered by their first rows.
type sorter struct {
	opts    Options
	numbers numbers // of queries
	lists   lists

	// The rows since the last run was written.
	chunks [][]row  // chunkRows in each; used again after every run
	count  int      // number of these rows
	docs   []string // their document ids, if rows are named
	memory int64    // their memory in bytes

	sorted sortedRows // reused after every run

	file   *os.File // nil until the first run
	runs   []int64  // offset of each run in the file
	stored int64    // bytes in the file
	named  bool     // rows have document ids
}

// row is a row without its document id.
type row struct {
	label, score float64
	query        uint32
}

// The memory, in bytes, of a row (unsorted and sorted together) and of a document id in addition to its text.
const (
	rowMemory = 24 + 16
	docMemory = 16 + 16
)

func (s *sorter) add(rows Rows) error {
	s.named = rows.Docs != nil
	last := ""
	number := uint32(0)
	for i, id := range rows.Query {
		if i == 0 || id != last {
			last, number = id, s.numbers.of(id)
		}
		s.push(row{rows.Labels[i], rows.Scores[i], number})
		s.memory += rowMemory
		if s.named {
			s.docs = append(s.docs, rows.Docs[i])
			s.memory += docMemory + int64(len(rows.Docs[i]))
		}
		if s.memory >= s.opts.Memory {
			if err := s.store(); err != nil {
				return err
			}
		}
	}
	return nil
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
	ends           []uint32 // by query: the index after its last row
	labels, scores []float64
	docs           []string // nil where rows are not named
}

// of returns the rows of a query.
func (r *sortedRows) of(query int) (labels, scores []float64, docs []string) {
	from, to := uint32(0), r.ends[query]
	if query > 0 {
		from = r.ends[query-1]
	}
	if r.docs != nil {
		docs = r.docs[from:to]
	}
	return r.labels[from:to], r.scores[from:to], docs
}

// sort sorts the rows in memory by query, with a counting sort: it counts the rows of each query, which gives
// the place of its first one, and then copies the rows to their places in input order. Sequential reads with
// scattered writes are faster than the reverse.
func (s *sorter) sort() *sortedRows {
	r := &s.sorted
	r.labels, r.scores = reuse.Slice(r.labels, s.count), reuse.Slice(r.scores, s.count)
	if s.named {
		r.docs = reuse.Slice(r.docs, s.count)
	}
	next := make([]uint32, len(s.numbers.ids)+1) // place of each query's next row
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

// listMemory makes the lists if all rows are in memory.
func (s *sorter) listMemory() error {
	rows := s.sort()
	for query, id := range s.numbers.ids {
		if err := s.lists.begin(id); err != nil {
			return err
		}
		s.lists.add(rows.of(query))
	}
	return s.lists.flush()
}

// list adds a row to the list of its query. The rows of a query must be consecutive.
func (s *sorter) list(r row, doc string) error {
	if id := s.numbers.ids[r.query]; !s.lists.open || id != s.lists.id {
		if err := s.lists.begin(id); err != nil {
			return err
		}
	}
	s.lists.addRow(r.label, r.score, doc, s.named)
	return nil
}

// store sorts the rows in memory and writes them to the temporary file, as one run.
func (s *sorter) store() (err error) {
	if s.file == nil {
		if s.file, err = stream.Temporary(s.opts.Folder); err != nil {
			return fmt.Errorf("sorting by query: %w", err)
		}
	}
	s.runs = append(s.runs, s.stored)
	out := bufio.NewWriterSize(s.file, 1<<20)
	rows := s.sort()
	var record []byte
	for query := range s.numbers.ids {
		labels, scores, docs := rows.of(query)
		for i := range labels {
			record = appendRow(record[:0], row{labels[i], scores[i], uint32(query)})
			if s.named {
				record = appendDoc(record, docs[i])
			}
			s.stored += int64(len(record))
			if _, err := out.Write(record); err != nil {
				return fmt.Errorf("sorting by query: %w", err)
			}
		}
	}
	s.count, s.docs, s.memory = 0, s.docs[:0], 0
	if err := out.Flush(); err != nil {
		return fmt.Errorf("sorting by query: %w", err)
	}
	return nil
}

func (s *sorter) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// A row in the temporary file has rowBytes bytes: the number of the query, the label and the score, all
// little-endian. If rows are named, the length of the document id (a varint) and the id follow.
const rowBytes = 4 + 8 + 8

func appendRow(dst []byte, r row) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, r.query)
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.label))
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.score))
}

func appendDoc(dst []byte, doc string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(doc))), doc...)
}

// run reads a run row by row.
type run struct {
	in   *bufio.Reader
	row  row    // the next one
	doc  string // its document id
	done bool   // there is no next row
}

// merge makes the lists from the rows of all runs: for each query, the rows of the first run, then those of
// the second, and so on, which is input order.
func (s *sorter) merge(ctx context.Context) error {
	if err := s.store(); err != nil {
		return err
	}
	s.chunks, s.docs, s.sorted = nil, nil, sortedRows{}
	s.numbers.byText, s.numbers.byPlace = nil, nil
	runs, err := s.openRuns()
	if err != nil {
		return err
	}
	for query := range s.numbers.ids {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		for _, r := range runs {
			for !r.done && r.row.query == uint32(query) {
				if err := s.list(r.row, r.doc); err != nil {
					return err
				}
				if err := r.next(s.named); err != nil {
					return fmt.Errorf("sorting by query: %w", err)
				}
			}
		}
	}
	return s.lists.flush()
}

// openRuns opens all runs, each at its first row. Their buffers share the memory of the sort.
func (s *sorter) openRuns() ([]*run, error) {
	var runs []*run
	buffer := int(max(4<<10, min(1<<20, s.opts.Memory/int64(len(s.runs)))))
	for i, from := range s.runs {
		to := s.stored
		if i+1 < len(s.runs) {
			to = s.runs[i+1]
		}
		r := &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, from, to-from), buffer)}
		if err := r.next(s.named); err != nil {
			return nil, fmt.Errorf("sorting by query: %w", err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// next reads the next row.
func (r *run) next(named bool) error {
	record, err := r.in.Peek(rowBytes)
	if err == io.EOF && len(record) == 0 {
		r.done = true
		return nil
	}
	if err != nil {
		return err
	}
	r.row.query = binary.LittleEndian.Uint32(record)
	r.row.label = math.Float64frombits(binary.LittleEndian.Uint64(record[4:]))
	r.row.score = math.Float64frombits(binary.LittleEndian.Uint64(record[12:]))
	if _, err := r.in.Discard(rowBytes); err != nil || !named {
		return err
	}
	size, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	doc := make([]byte, size)
	_, err = io.ReadFull(r.in, doc)
	r.doc = string(doc)
	return err
}
