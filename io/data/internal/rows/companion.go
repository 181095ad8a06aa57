package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Companions are the files beside the data that LightGBM reads with it. Each has the name of the
// data and an ending, and a line for each row, except .query. A companion is read when
// it is first needed. Blank lines are ignored.
//
//	.query     the number of rows of each query, a line each; also .group, as for XGBoost
//	.weight    the weight of each row, or of each query: finite, not negative
//	.init      the score from which training begins, which is not part of the model: finite; also
//	           .base_margin, as for XGBoost
//	.label.…   a further label, whose name comes last: finite
//	.position  where the document was shown: any word, of at most 65,536; objectives of pairs learn the
//	           biases of positions
type Companions struct {
	path   string                // of the data
	none   bool                  // there are none: the data is standard input
	counts func() ([]int, error) // rows of each query of the whole data; nil without .query
	kinds  []*kind               // all but .query
	part   *dataset.Part         // whose rows the companions are read for; nil: for all
	rows   int                   // of the part
}

// kind is a companion with a line for each row.
type kind struct {
	ending string
	what   string // what rows may have themselves; the companion is not read then
	label  string // name of a further label
	bad    error  // of a line
	wrong  error  // of the number of lines
	least  float64
	of     func(m *dataset.Meta) *[]float64 // nil for positions and further labels
	read   func() (content, error)
}

// content is what a companion has for the rows of the part.
type content struct {
	there   bool
	lines   int // for all rows
	numbers []float64
	places  places // if it has positions
}

var (
	weight = kind{ending: ".weight", what: "a weight", bad: dataset.ErrWeight, wrong: dataset.ErrWeightCount,
		of: func(m *dataset.Meta) *[]float64 { return &m.Weights }}
	initial = kind{ending: ".init", what: "an initial score", bad: dataset.ErrInitial,
		wrong: dataset.ErrInitialCount, least: -math.MaxFloat64,
		of: func(m *dataset.Meta) *[]float64 { return &m.InitialScores }}
	position = kind{ending: ".position", what: "a position", bad: dataset.ErrPosition,
		wrong: dataset.ErrPositionCount}
)

// labelEnding begins the endings of companions with further labels.
const labelEnding = ".label."

// endings are the endings of all companions but those of labels, and aliases are those that XGBoost has for
// some of them.
var (
	endings = []string{".query", weight.ending, initial.ending, position.ending, ".group", ".base_margin"}
	aliases = map[string]string{".query": ".group", initial.ending: ".base_margin"}
)

// ErrTwo means that the same companion is there under two names.
var ErrTwo = errors.New("a companion with the same content is beside it, under its other name; remove one")

// ErrMisnamed means that a file beside the data looks like a companion, but has another name.
var ErrMisnamed = errors.New("it is not read under this name: a companion has the name of the data and an " +
	"ending, whether it is compressed or not; rename it or take it away")

// Compressed are the endings that people give to the names of compressed files.
var Compressed = []string{".gz", ".zst"}

// CompanionsOf returns the companions of the data at path. labels are the names of the further labels that
// companions have.
func CompanionsOf(path string, labels ...string) *Companions {
	c := &Companions{path: path, none: path == "-"}
	if !c.none {
		c.path = filepath.Clean(path) // without the slash that the path of a folder may end in
	}
	c.counts = sync.OnceValues(c.readCounts)
	kinds := []kind{weight, initial, position}
	for _, name := range labels {
		kinds = append(kinds, kind{ending: labelEnding + name, label: name, bad: dataset.ErrFurtherLabel,
			wrong: dataset.ErrFurtherCount, least: -math.MaxFloat64})
	}
	for _, k := range kinds {
		k.read = sync.OnceValues(func() (content, error) { return c.read(&k, c.holds) })
		c.kinds = append(c.kinds, &k)
	}
	return c
}

// Divide makes the companions be read for the rows of a part. It is called before anything is read.
func (c *Companions) Divide(part *dataset.Part, rows int) { c.part, c.rows = part, rows }

// holds reports whether the part has the row with that number in the whole data.
func (c *Companions) holds(row int) bool {
	return c.part == nil || row >= c.part.FirstRow && row < c.part.FirstRow+c.rows
}

// allRows returns the number of rows of the whole data, given the number of rows of the part.
func (c *Companions) allRows(own int) int {
	if c.part == nil {
		return own
	}
	return c.part.Rows
}

// Endings returns the endings of all companions that the data at path can have: of labels, those that exist.
func Endings(path string) []string {
	all, prefix := slices.Clone(endings), filepath.Base(path)+labelEnding
	entries, _ := os.ReadDir(filepath.Dir(filepath.Clean(path)))
	for _, e := range entries {
		if name, found := strings.CutPrefix(e.Name(), prefix); found {
			all = append(all, labelEnding+name)
		}
	}
	return all
}

// Exists reports whether there is a companion with that ending.
func (c *Companions) Exists(ending string) bool {
	if c.none {
		return false
	}
	return exists(c.file(ending))
}

// exists also reports a link that leads nowhere, which reading refuses.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// file returns the path of the companion with an ending, or with its alias if only that is there.
func (c *Companions) file(ending string) string {
	if other, has := aliases[ending]; has && !exists(c.path+ending) && exists(c.path+other) {
		return c.path + other
	}
	return c.path + ending
}

// single returns an error if a companion is there under two names.
func (c *Companions) single(ending string) error {
	if other, has := aliases[ending]; has && exists(c.path+ending) && exists(c.path+other) {
		return &dataset.Error{Path: c.path + other, Err: ErrTwo, Detail: c.path + ending}
	}
	return nil
}

// named returns an error if there is no companion with an ending, but a file that would be it if companions
// were named as compressed files are: t.txt.weight.gz beside t.txt, or t.txt.weight beside t.txt.gz.
func (c *Companions) named(ending string) error {
	if c.Exists(ending) {
		return nil
	}
	for _, compressed := range Compressed {
		others := []string{c.path + ending + compressed}
		if other, has := aliases[ending]; has {
			others = append(others, c.path+other+compressed)
		}
		if data, found := strings.CutSuffix(c.path, compressed); found && !exists(data) {
			others = append(others, data+ending, data+ending+compressed)
		}
		for _, other := range others {
			if exists(other) {
				return &dataset.Error{Path: other, Err: ErrMisnamed, Detail: c.path + ending}
			}
		}
	}
	return nil
}

// mostRows bounds the sum of the counts of a companion .query, so that it does not overflow.
const mostRows = 1 << 40

func (c *Companions) readCounts() (counts []int, err error) {
	sum := 0
	there, err := c.readColumn(".query", dataset.ErrCount, func(token []byte) bool {
		rows, err := strconv.ParseUint(string(token), 10, 40)
		sum += int(rows)
		counts = append(counts, int(rows))
		return err == nil && sum <= mostRows
	})
	if there && counts == nil {
		counts = []int{}
	}
	return counts, err
}

// QueryFrom returns the first row, at or after the given one, at which a query of the companion .query
// begins; the number of all rows if there is none.
func (c *Companions) QueryFrom(row int) (first int, err error) {
	counts, err := c.counts()
	for i := 0; i < len(counts) && first < row; i++ {
		first += counts[i]
	}
	return first, err
}

// firstRow returns the number in the whole data of the first row of the part.
func (c *Companions) firstRow() int {
	row, _ := c.part.First()
	return row
}

// divide sets the queries of m by the counts. If there is no companion, it returns the error missing.
func (c *Companions) divide(m *dataset.Meta, missing error) error {
	counts, err := c.counts()
	switch {
	case err != nil:
		return err
	case counts == nil:
		return &dataset.Error{Path: c.path, Err: missing}
	}
	if err := c.CheckCounts(m.NumRows()); err != nil {
		return err
	}
	first := 0 // in the whole data
	for i, rows := range counts {
		switch {
		case !c.holds(first):
		case rows == 0:
			m.EmptyQueries++
		default:
			m.Queries = append(m.Queries, dataset.Query{ID: strconv.Itoa(i), First: first - c.firstRow(), Len: rows})
		}
		first += rows
	}
	return nil
}

// CheckCounts returns an error if there is a .query whose counts do not add up to the number of rows.
func (c *Companions) CheckCounts(rows int) error {
	counts, err := c.counts()
	if err != nil || counts == nil {
		return err
	}
	sum, rows := 0, c.allRows(rows)
	for _, n := range counts {
		sum += n
	}
	if sum == rows {
		return nil
	}
	detail := fmt.Sprintf("%s of %s; %s in %s", wording.Count(len(counts), "query"), wording.Count(sum, "row"),
		wording.Count(rows, "row"), c.path)
	return &dataset.Error{Path: c.file(".query"), Err: dataset.ErrCountSum, Detail: detail}
}

// complete sets the values that the companions other than .query have for the rows of m.
func (c *Companions) complete(m *dataset.Meta) error {
	const earlier = ".label2"
	if c.Exists(earlier) {
		m.Remarks = append(m.Remarks, fmt.Sprintf("%s%s is not read since 2026-11-26: name it %[1]s.label.NAME, "+
			"and give label_columns=LABEL,NAME", c.path, earlier))
	}
	for _, k := range c.kinds {
		if err := c.add(k, m); err != nil {
			return err
		}
	}
	return nil
}

// AddWeights sets the weights of m from the companion .weight, if there is one.
func (c *Companions) AddWeights(m *dataset.Meta) error { return c.add(c.kinds[0], m) }

// add sets the values that a companion has, unless the rows of m have them. Data may lack labels that nothing
// uses.
func (c *Companions) add(k *kind, m *dataset.Meta) error {
	if k.of != nil && *k.of(m) != nil || k.ending == position.ending && m.Positions != nil {
		if c.Exists(k.ending) {
			m.Remarks = append(m.Remarks, fmt.Sprintf("%s is not read: the rows have %s each", c.file(k.ending),
				k.what))
		}
		return nil
	}
	found, err := k.read()
	if err == nil && k.ending == weight.ending {
		found, err = c.ofRows(k, found, m)
	}
	switch {
	case err != nil:
		return err
	case !found.there:
		if k.label != "" {
			m.Remarks = append(m.Remarks, fmt.Sprintf("%s%s does not exist: the data has no label %s", c.path,
				k.ending, k.label))
		}
		return nil
	case k.label != "":
		m.More = append(m.More, dataset.Labels{Name: k.label, Values: found.numbers,
			File: c.file(k.ending)})
	case k.of != nil:
		*k.of(m) = found.numbers
	default:
		m.Positions, m.PositionNames = found.places.rows, found.places.names
	}
	rows := c.allRows(m.NumRows())
	if found.lines == rows {
		return nil
	}
	return &dataset.Error{Path: c.file(k.ending), Err: k.wrong, Detail: fmt.Sprintf("%s, %s in %s",
		wording.Count(found.lines, "line"), wording.Count(rows, "row"), c.path)}
}

// ofRows returns the weights of rows. If the companion has a weight for each query instead, as for XGBoost,
// all rows of a query get it, and a remark says so.
func (c *Companions) ofRows(k *kind, weights content, m *dataset.Meta) (content, error) {
	if !weights.there || weights.lines == c.allRows(m.NumRows()) {
		return weights, nil
	}
	first, queries, empty := 0, len(m.Queries), m.EmptyQueries
	if c.part != nil { // all peers come here
		g := c.part.Peers
		first, queries = sumBefore(g, queries)
		empty = g.SumOf(empty)
	}
	if weights.lines != queries || empty > 0 {
		return weights, nil
	}
	own, err := c.read(k, func(query int) bool { return query >= first && query < first+len(m.Queries) })
	if err != nil {
		return content{}, err
	}
	all := content{there: true, lines: c.allRows(m.NumRows()), numbers: make([]float64, 0, m.NumRows())}
	for n, q := range m.Queries {
		for range q.Len {
			all.numbers = append(all.numbers, own.numbers[n])
		}
	}
	m.Remarks = append(m.Remarks, fmt.Sprintf("%s.weight has %s, one for each query: all documents of "+
		"a query get its weight", c.path, wording.Count(weights.lines, "line")))
	return all, nil
}

// read returns what a companion has on the lines, from 0, that holds accepts.
func (c *Companions) read(k *kind, holds func(line int) bool) (found content, err error) {
	found.numbers, found.places.rows = []float64{}, []int32{}
	found.there, err = c.readColumn(k.ending, k.bad, func(token []byte) bool {
		keep := holds(found.lines)
		found.lines++
		if k.ending == position.ending {
			found.places.add(token, keep)
			return len(found.places.names) <= mostPlaces && IsPlace(token)
		}
		v, err := ParseNumber(token)
		if keep {
			found.numbers = append(found.numbers, v)
		}
		return err == nil && v >= k.least && v <= math.MaxFloat64
	})
	if len(found.places.names) > mostPlaces {
		err = &dataset.Error{Path: c.file(k.ending), Err: dataset.ErrPositions}
	}
	return found, err
}

// readColumn calls accept for each line of a companion that is not blank, without the blanks around it.
// A line that is not accepted is the error bad. there is false if there is no such companion.
func (c *Companions) readColumn(ending string, bad error, accept func(token []byte) bool) (there bool,
	err error) {
	if c.none {
		return false, nil
	}
	if err := errors.Join(c.single(ending), c.named(ending)); err != nil {
		return false, err
	}
	path := c.file(ending)
	err = stream.ReadChecked(path, func(r io.Reader, _ string) error {
		in := bufio.NewReaderSize(r, 1<<16)
		for n := 1; ; n++ {
			line, failed := in.ReadSlice('\n')
			if failed != nil && failed != io.EOF && failed != bufio.ErrBufferFull {
				return failed
			}
			token := bytes.Trim(line, " \t\r\n")
			if failed == bufio.ErrBufferFull || len(token) > 0 && !accept(token) {
				column := bytes.Index(line, token) + 1
				return &dataset.Error{Path: path, Line: n, Column: column, Token: Shorten(token), Err: bad}
			}
			if failed == io.EOF {
				return nil
			}
		}
	})
	if errors.Is(err, fs.ErrNotExist) && !exists(path) {
		return false, nil
	}
	return err == nil, err
}
