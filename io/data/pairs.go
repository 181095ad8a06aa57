package data

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// Errors about files of pairs.
var (
	ErrPairHeader = errors.New("not a file of pairs: its first line must name the columns qid,better,worse " +
		"for ids of documents, or qid,better_row,worse_row for their numbers in the query, from 1, each once; " +
		"weight may follow")
	ErrPairsEmpty = errors.New("there are no pairs; give at least one line after the names of the columns")
	ErrPairQuery  = errors.New("the data has no query of that id")
	ErrPairDoc    = errors.New("no document of the query has that id; both documents of a pair are of its query")
	ErrPairTwice  = errors.New("several documents of the query have that id; give their numbers " +
		"(better_row,worse_row)")
	ErrPairRow    = errors.New("not the number of a document of the query; the first one is 1")
	ErrPairSame   = errors.New("the better document and the worse one are the same")
	ErrPairWeight = errors.New("not a weight; weights are finite numbers, 0 or more")
	ErrPairNoIDs  = errors.New("the data has no document ids: give docid_column=NAME, or \"# docid = ID\" at " +
		"the ends of lines of LETOR text, or pairs of numbers (better_row,worse_row)")
)

// Pairs is a table of pairs of documents, of which the first is the better one: CSV, or TSV, with a first
// line that names the columns.
type Pairs struct {
	ByID bool // documents are given by their ids, which must be in dataset.Meta.Docs

	Path   string // as given
	column [4]int // of the query, the better document, the worse one and the weight; -1 if there is none
	names  []string
	lines  []pairLine
}

// pairLine is a line of the table, and where its cells are.
type pairLine struct {
	cells        [4]string
	line, column [4]int // from 1; 0 if the table lacks the column
}

// ReadPairs reads the table at path, which may be compressed. [Pairs.Of] finds its documents.
func ReadPairs(path string) (*Pairs, error) {
	return stream.Read(path, func(r io.Reader, name string) (*Pairs, error) {
		p := &Pairs{Path: name}
		return p, p.read(stream.Cells(r))
	})
}

// read reads the lines of the table.
func (p *Pairs) read(lines *csv.Reader) error {
	for {
		cells, line, err := stream.NextLine(lines)
		switch {
		case err == io.EOF && len(p.lines) == 0:
			return &dataset.Error{Path: p.Path, Err: cmp.Or(p.header(p.names), ErrPairsEmpty)}
		case err == io.EOF:
			return nil
		case err != nil:
			return &dataset.Error{Path: p.Path, Line: line, Err: err}
		case p.names == nil:
			if err := p.header(cells); err != nil {
				return &dataset.Error{Path: p.Path, Line: 1, Err: err}
			}
			continue
		}
		var l pairLine
		for i, c := range p.column {
			if c >= 0 {
				l.cells[i] = cells[c]
				l.line[i], l.column[i] = lines.FieldPos(c)
			}
		}
		p.lines = append(p.lines, l)
	}
}

// header finds the columns by their names.
func (p *Pairs) header(names []string) error {
	p.names = names
	p.ByID = slices.Contains(names, "better")
	wanted := [4]string{"qid", "better_row", "worse_row", "weight"}
	if p.ByID {
		wanted[1], wanted[2] = "better", "worse"
	}
	for i, name := range wanted {
		p.column[i] = slices.Index(names, name)
		if p.column[i] < 0 && name != "weight" {
			return ErrPairHeader
		}
	}
	for i, name := range names {
		if !slices.Contains(wanted[:], name) || slices.Contains(names[:i], name) {
			return ErrPairHeader
		}
	}
	return nil
}

// Of returns the pairs as those of the data, sorted.
func (p *Pairs) Of(m *dataset.Meta) ([]dataset.Pair, error) {
	if p.ByID && m.Docs == nil {
		return nil, &dataset.Error{Path: p.Path, Line: 1, Err: ErrPairNoIDs}
	}
	find := finder{meta: m, byID: p.ByID, queries: map[string]int{}, documents: map[int]map[string]int{}}
	for i, q := range m.Queries {
		find.queries[q.ID] = i
	}
	pairs := make([]dataset.Pair, len(p.lines))
	sum := 0.0
	for i := range p.lines {
		at, err := p.lines[i].pair(&pairs[i], &find)
		if sum += pairs[i].Weight; err == nil && sum > math.MaxFloat64 {
			at, err = 3, dataset.ErrPairWeights
		}
		if err != nil {
			l := &p.lines[i]
			return nil, &dataset.Error{Path: p.Path, Line: l.line[at], Column: l.column[at],
				Field: p.names[p.column[at]], Token: l.cells[at], Err: err}
		}
	}
	slices.SortStableFunc(pairs, dataset.ComparePairs)
	return pairs, nil
}

// pair sets a pair of the data. If there is an error, at is the number of the cell.
func (l *pairLine) pair(dst *dataset.Pair, find *finder) (at int, err error) {
	query, known := find.queries[l.cells[0]]
	if !known {
		return 0, ErrPairQuery
	}
	dst.Query, dst.Weight = query, 1
	for at := 1; at <= 2; at++ {
		document := &dst.Better
		if at == 2 {
			document = &dst.Worse
		}
		if *document, err = find.document(query, l.cells[at]); err != nil {
			return at, err
		}
	}
	if dst.Better == dst.Worse {
		return 2, ErrPairSame
	}
	if l.line[3] != 0 { // the table has weights; an empty one is an error, as in tables of documents
		dst.Weight, err = strconv.ParseFloat(l.cells[3], 64)
		if err != nil || !(dst.Weight >= 0 && dst.Weight <= math.MaxFloat64) {
			return 3, ErrPairWeight
		}
	}
	return 0, nil
}

// finder finds the queries and documents that a table names.
type finder struct {
	meta      *dataset.Meta
	byID      bool
	queries   map[string]int         // by id
	documents map[int]map[string]int // indexes in the queries of pairs, by id; several if they share it
}

// several is the index of documents that have the same id.
const several = -1

// document returns the index of a document in its query.
func (f *finder) document(query int, text string) (int, error) {
	q := f.meta.Queries[query]
	if !f.byID {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > q.Len {
			return 0, ErrPairRow
		}
		return n - 1, nil
	}
	if f.documents[query] == nil {
		f.documents[query] = byIDs(f.meta.Docs[q.First : q.First+q.Len])
	}
	i, known := f.documents[query][text]
	switch {
	case !known || text == "":
		return 0, ErrPairDoc
	case i == several:
		return 0, ErrPairTwice
	}
	return i, nil
}

// byIDs returns the index of each id, or several.
func byIDs(ids []string) map[string]int {
	indexes := make(map[string]int, len(ids))
	for i, id := range ids {
		if _, again := indexes[id]; again {
			i = several
		}
		indexes[id] = i
	}
	return indexes
}
