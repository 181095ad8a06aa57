package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/test/aid"
)

// judged is a row as the naive reader sees it: only its nonzero values.
type judged struct {
	label, weight float64
	query         string
	value         map[int]string // by feature: the bits of each nonzero value
}

func bitsOf(v float64) string {
	if math.IsNaN(v) {
		return "missing"
	}
	return fmt.Sprintf("%x", math.Float64bits(v))
}

// naiveData reads text with encoding/csv. The first line names the columns label, query, weight and
// features, in any order. ok is false if anything is wrong.
func naiveData(text []byte, comma rune) (all []judged, ok bool) {
	text = bytes.TrimPrefix(text, []byte(stream.Mark))
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = comma, -1, comma == ','
	lines, err := r.ReadAll()
	if err != nil {
		return nil, false
	}
	var names []string
	for _, cells := range lines {
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " \t\r\n")
		}
		if len(cells) == 1 && cells[0] == "" {
			continue // a blank line
		}
		if names == nil {
			names = cells
			for i := range names {
				names[i] = Name(names[i])
			}
			continue
		}
		if len(cells) != len(names) {
			return nil, false
		}
		row := judged{weight: 1, value: map[int]string{}}
		number := 0
		for i, cell := range cells {
			v, err := strconv.ParseFloat(cell, 64)
			if slices.Contains([]string{"", "na", "nan", "null"}, strings.ToLower(cell)) {
				v, err = math.NaN(), nil
			}
			if strings.ContainsAny(cell, "xX_pP") {
				err = strconv.ErrSyntax
			}
			if names[i] == "query" {
				row.query = cell
				number++
				if isMissing(cell) {
					return nil, false
				}
				continue
			}
			if i == 0 && names[i] == "" || parquet.IsUnnamedIndex(names[i]) { // the index of a data frame
				number++
				continue
			}
			if err != nil || math.IsInf(v, 0) {
				return nil, false
			}
			switch names[i] {
			case "label":
				if row.label = v; math.IsNaN(v) {
					return nil, false
				}
				continue
			case "weight":
				if row.weight = v; !(v >= 0) {
					return nil, false
				}
			default:
				if v != 0 {
					row.value[number] = bitsOf(v)
				}
			}
			number++
		}
		all = append(all, row)
	}
	return all, len(all) > 0
}

// rounds returns n, or less in short mode.
func rounds(n int) int {
	if testing.Short() {
		return max(1, n/6)
	}
	return n
}

var namedColumns = Options{Header: WithHeader, Label: "name:label", Query: "query", Weight: "weight"}

// Open opens the table at path, a file or a folder of parts.
func Open(path string, o Options) (*Data, error) {
	inputs, err := OpenFiles(path, stream.Options{})
	if err != nil {
		return nil, err
	}
	d, err := New(path, inputs, o)
	if err != nil {
		stream.CloseAll(inputs)
	}
	return d, err
}

// readData reads all rows with Scan and again with Stream.
func readData(t testing.TB, path string, opts Options) ([]judged, *dataset.Meta, error) {
	d, err := Open(path, opts)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	var mu sync.Mutex
	values := map[int]map[int]string{}
	valueOf := func(row dataset.Row) map[int]string {
		value := map[int]string{}
		last := int32(-1)
		for i, f := range row.Feature {
			assert.Greater(t, f, last)
			last = f
			if v := row.Value[i]; v != 0 {
				value[int(f)] = bitsOf(v)
			}
		}
		return value
	}
	meta, err := dataset.Scan(context.Background(), d, nil, func(worker int, row dataset.Row) error {
		mu.Lock()
		defer mu.Unlock()
		assert.Less(t, worker, d.Workers())
		values[row.Number] = valueOf(row)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	require.NoError(t, meta.Check())
	require.Len(t, values, meta.NumRows())
	all := make([]judged, meta.NumRows())
	for _, q := range meta.Queries {
		for row := q.First; row < q.First+q.Len; row++ {
			all[row] = judged{label: meta.Labels[row], weight: 1, query: q.ID, value: values[row]}
			if meta.Weights != nil {
				all[row].weight = meta.Weights[row]
			}
		}
	}
	if n, known, err := d.NumRows(context.Background()); err == nil && known {
		assert.Equal(t, meta.NumRows(), n)
	}
	none, err := dataset.Describe(context.Background(), d)
	require.NoError(t, err)
	require.Equal(t, meta, none)
	count := 0
	err = dataset.Stream(context.Background(), d, func(int, *dataset.Block) error { return nil },
		func(b *dataset.Block) error {
			require.Equal(t, count, b.FirstRow)
			for _, q := range b.Queries {
				for row := q.First; row < q.First+q.Len; row++ {
					require.Equal(t, all[row].query, q.ID)
				}
			}
			for i := range b.Len() {
				require.Equal(t, all[count].label, b.Labels[i])
				require.Equal(t, all[count].value, valueOf(b.Rows[i]))
				count++
			}
			return nil
		})
	require.NoError(t, err)
	require.Equal(t, meta.NumRows(), count)
	return all, meta, nil
}

// sameData requires rows to be equal.
func sameData(t testing.TB, want, got []judged) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i := range want {
		require.Equal(t, want[i], got[i], "row %d", i)
	}
}

// handmade covers every form of line.
const handmade = "\ufeff\n \r\nprice, query ,\"label\",weight,rel score,\" a\nb\"\r\n" +
	"1.5,q1,0,1,2,3\n" +
	"-0.25, q1 ,1,0.5,\"2.5\",4e3\r\n" +
	"\n" +
	" 7 ,\"q1\",2,2,na,\n" +
	"NaN,\"the query,\nof two lines\",3,1,Null,12345678.12345678\n" +
	"0,\"the query,\nof two lines\",3,1,-nan,.5\n" +
	",x\ty,0,1,0.1,0.30000000000000004"

func TestHandmadeData(t *testing.T) {
	want := []judged{
		{0, 1, "q1", map[int]string{0: bitsOf(1.5), 3: bitsOf(2), 4: bitsOf(3)}},
		{1, 0.5, "q1", map[int]string{0: bitsOf(-0.25), 3: bitsOf(2.5), 4: bitsOf(4e3)}},
		{2, 2, "q1", map[int]string{0: bitsOf(7), 3: "missing", 4: "missing"}},
		{3, 1, "the query,\nof two lines", map[int]string{0: "missing", 3: "missing",
			4: bitsOf(12345678.12345678)}},
		{3, 1, "the query,\nof two lines", map[int]string{3: "missing", 4: bitsOf(.5)}},
		{0, 1, "x\ty", map[int]string{0: "missing", 3: bitsOf(0.1), 4: bitsOf(0.30000000000000004)}},
	}
	for size := 1; size < 60; size += 60 / rounds(60) {
		opts := namedColumns
		opts.blockSize, opts.Workers = size, 1+size%3
		got, meta, err := readData(t, aid.File(t, "data.csv", handmade), opts)
		require.NoError(t, err)
		sameData(t, want, got)
		require.Equal(t, []string{"price", "query", "weight", "rel_score", "a_b"}, meta.Features)
		require.Equal(t, 2, meta.LabelColumn)
	}
}

// randomTable draws text with all kinds of cells; some are in quotes.
func randomTable(rng *rand.Rand, comma byte) []byte {
	var b bytes.Buffer
	names := []string{"label", "query", "weight"}
	for f := range 1 + rng.IntN(6) {
		names = append(names, fmt.Sprintf("f%d", f))
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	b.WriteString(strings.Join(names, string(comma)) + "\n")
	ends := []string{"\n", "\r\n", "\n\n", " \n"}
	for row := range 1 + rng.IntN(80) {
		end := ""
		for i, name := range names {
			cell := randomCell(rng)
			end = ends[rng.IntN(len(ends))]
			switch name {
			case "label":
				cell = strconv.Itoa(rng.IntN(5))
			case "query":
				cell = fmt.Sprintf("q %d", row/7)
			case "weight":
				cell = strconv.FormatFloat(rng.Float64(), 'g', -1, 64)
			}
			if rng.IntN(20) == 0 {
				cell, end = `"`+cell+`"`, "\n" // encoding/csv accepts no space after a quote
			}
			if i > 0 {
				b.WriteByte(comma)
			}
			b.WriteString(cell)
		}
		b.WriteString(end)
	}
	return b.Bytes()
}

func randomCell(rng *rand.Rand) string {
	switch rng.IntN(9) {
	case 0:
		return []string{"", "na", "NaN", "null", "NA", "nan"}[rng.IntN(6)]
	case 1:
		return strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)
	case 2:
		return strconv.FormatFloat(rng.NormFloat64()*1e30, 'e', 3, 64)
	case 3:
		return fmt.Sprintf("%.6f", rng.NormFloat64()*100)
	case 4:
		return " " + strconv.Itoa(rng.IntN(1000))
	case 5:
		return "0"
	}
	return strconv.Itoa(rng.IntN(12))
}

// TestDataIsNaive: the reader finds the same as encoding/csv and strconv, for each block size, compression
// and separator.
func TestDataIsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds(60) {
		for _, form := range []struct {
			name  string
			comma byte
		}{{"data.csv", ','}, {"data.tsv", '\t'}} {
			text := randomTable(rng, form.comma)
			want, ok := naiveData(text, rune(form.comma))
			require.True(t, ok, "%s", text)
			opts := namedColumns
			opts.blockSize, opts.Workers = 1+rng.IntN(300), 1+rng.IntN(4)
			content, name := pack(text, form.name, rng.IntN(3))
			got, _, err := readData(t, aid.File(t, name, content), opts)
			require.NoError(t, err, "%s", text)
			sameData(t, want, got)
		}
	}
}

// pack stores text plain or compressed, depending on how.
func pack(text []byte, name string, how int) ([]byte, string) {
	var b bytes.Buffer
	switch how {
	case 1:
		z := gzip.NewWriter(&b)
		_, _ = z.Write(text)
		z.Close()
		return b.Bytes(), name + ".gz"
	case 2:
		z, _ := zstd.NewWriter(&b)
		_, _ = z.Write(text)
		z.Close()
		return b.Bytes(), name + ".zst"
	}
	return text, name
}

// badData are texts with one mistake each, marked by «». If nothing is between the
// marks, the whole row is wrong.
var badData = []struct {
	text  string
	want  error
	field string
}{
	{"label,query,f\n«x»,1,2\n", ErrLabel, "label"},
	{"label,query,f\n0,1,2\n«»,1,2\n", ErrLabel, "label"},
	{"label,query,f\n«inf»,1,2\n", dataset.ErrLabelFinite, "label"},
	{"label,query,f\n«nan»,1,2\n", dataset.ErrLabelFinite, "label"},
	{"label,query,f\n0,«»,2\n", ErrQuery, "query"},
	{"label,query,f\n0,1,2\n«\ufeff»1,1,2\n", stream.ErrMark, "label"},
	{"label,query,f\n0,«null»,2\n", ErrQuery, "query"},
	{"label,query,f\n0,1,«x»\n", dataset.ErrValue, "f"},
	{"label,query,f\n0,1, «1 2» \n", dataset.ErrValue, "f"},
	{"label,query,f\n0,1,«yes»\n", dataset.ErrValue, "f"},
	{"label,query,f\n0,1,«?»\n", dataset.ErrValue, "f"},
	{"label,query,f\n0,1,«0x1p-2»\n", dataset.ErrValue, "f"},
	{"label,query,f\n0,1,«1e309»\n", dataset.ErrValueFinite, "f"},
	{"label,query,f\n0,1,«-Inf»\n", dataset.ErrValueFinite, "f"},
	{"label,query,f\n0,1,2\n0,2,3\n0,«1»,4\n", dataset.ErrQueryReturns, "query"},
	{"label,query,f\n0,1,5«\"»\n", ErrQuote, "f"},
	{"label,query,f\n0,1,\"5\"«x»\n", ErrQuote, "f"},
	{"label,query,f\n0,\"a\nb\",«x»\n", dataset.ErrValue, "f"},
	{"label,query,f,g\n0,1,2,3\n0,1,«\"»5,6\n", dataset.ErrQuoteOpen, "f"},
	{"label,query,weight\n0,1,«-1»\n", ErrWeight, "weight"},
	{"label,query,weight\n0,1,«»\n", ErrWeight, "weight"},
}

func TestBadData(t *testing.T) {
	for _, c := range badData {
		before, rest, _ := strings.Cut(c.text, "«")
		token, after, _ := strings.Cut(rest, "»")
		path := aid.File(t, "data.csv", before+token+after)
		for size := 1; size < 40; size += 42 / rounds(14) {
			opts := Options{Query: "query", blockSize: size, Workers: 3}
			if strings.Contains(c.text, "weight") {
				opts.Weight = "weight"
			}
			_, _, err := readData(t, path, opts)
			var e *dataset.Error
			require.ErrorAs(t, err, &e, c.text)
			require.ErrorIs(t, err, c.want, c.text)
			line := before[strings.LastIndexByte(before, '\n')+1:]
			assert.Equal(t, []any{path, strings.Count(before, "\n") + 1, len(line) + 1, token, c.field},
				[]any{e.Path, e.Line, e.Column, e.Token, e.Field}, c.text)
		}
	}
}

func TestBadTables(t *testing.T) {
	for _, c := range []struct {
		text string
		opts Options
		want error
		line int
	}{
		{"", Options{}, dataset.ErrEmpty, 0},
		{"\n \n", Options{}, dataset.ErrEmpty, 0},
		{"label,query,f\n", Options{Query: "query"}, dataset.ErrEmpty, 0},
		{"label,query,f\n0,1\n", Options{Query: "query"}, ErrFewCells, 2},
		{"label,query,f\n0,1,2\n0,1,2,3\n", Options{Query: "query"}, ErrManyCells, 3},
		{"label,query,f\n0,1,2,\n", Options{Query: "query"}, ErrManyCells, 2},
		{"label,query,f,f\n0,1,2,3\n", Options{Query: "query"}, ErrRepeated, 0},
		{"label,query,\n0,1,2\n", Options{Query: "query"}, ErrNameless, 0},
		{"label,query,a:b\n0,1,2\n", Options{Query: "query"}, ErrName, 0},
		{"label,query,f\n0,1,2\n", Options{Query: NoColumn}, ErrNoQueries, 0},
		{"label,q,f\n0,1,2\n", Options{}, ErrNoQueries, 0},
		{"label,query,qid\n0,1,2\n", Options{}, ErrManyQueries, 0},
		{"f,query,Grade\n0,1,2\n", Options{}, ErrOtherLabel, 0},
		{"label,query,f1\n0,1,2\n", Options{Model: &dataset.Features{Names: []string{"f0", "f1"}, Used: []int{0}}},
			ErrNoFeature, 0},
		{"label,query,f\n0,1,2\n", Options{Query: "name:qid"}, ErrNoColumn, 0},
		{"label,query,f\n0,1,2\n", Options{Query: "2"}, ErrNoColumn, 0},
		{"label,query,f\n0,1,2\n", Options{Label: "3"}, ErrNoColumn, 0},
		{"label,query,f\n0,1,2\n", Options{Query: "query", Ignore: "name:f,g"}, ErrNoColumn, 0},
		{"0,1,2\n", Options{Header: WithoutHeader, Query: "name:query"}, ErrNoHeader, 0},
		{"label,query,f\n0,1,2\n", Options{Query: "query", Model: &dataset.Features{Names: []string{"f", "g"}}},
			ErrNoFeature, 0},
		{"0,1,2\n", Options{Query: "0", Model: &dataset.Features{Names: []string{"query", "f", "g"}}},
			ErrFeatures, 0},
		{"a\x00b,c\n1,2\n", Options{}, ErrNotText, 1},
	} {
		_, _, err := readData(t, aid.File(t, "data.csv", c.text), c.opts)
		require.ErrorIs(t, err, c.want, c.text)
		var e *dataset.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.line, e.Line, c.text)
	}
}

// TestColumns: roles of columns and feature numbers. The first two cases are the same as LightGBM 4.7's for
// the same file and parameters, which test/check_tables.py checks.
func TestColumns(t *testing.T) {
	names := []string{"price", "qid", "label", "w", "junk", "rel"}
	path := aid.File(t, "data.csv", "")
	require.NoError(t, os.WriteFile(path+".query", nil, 0o666))
	anyIDs := func(int) bool { return true }
	special := []int{0, queryColumn, labelColumn, weightColumn, ignoredColumn, 4}
	for _, c := range []struct {
		opts Options
		want []int
	}{
		{Options{Label: "name:label", Query: "name:qid", Weight: "name:w", Ignore: "name:junk"}, special},
		{Options{Label: "2", Query: "1", Weight: "2", Ignore: "3"}, special},
		{Options{Label: "label", Query: "qid", Weight: "w", Ignore: "junk"}, special},
		{Options{Label: "0"}, []int{labelColumn, ignoredColumn, 1, 2, 3, 4}},
		{Options{Label: "0", Query: NoColumn}, []int{labelColumn, 0, 1, 2, 3, 4}},
		{Options{Ignore: "name:rel,price", Label: "2"}, []int{ignoredColumn, ignoredColumn, labelColumn, 2, 3,
			ignoredColumn}},
		{Options{Model: &dataset.Features{Names: []string{"rel", "other", "price"}, Used: []int{0, 2}}, Label: "2"},
			[]int{2, ignoredColumn, labelColumn, ignoredColumn, ignoredColumn, 0}},
		// Without labels, the column that would be the label is a feature of the model.
		{Options{Model: &dataset.Features{Names: []string{"price", "rel"}}, NoLabels: true},
			[]int{0, ignoredColumn, ignoredColumn, ignoredColumn, ignoredColumn, 1}},
		{Options{Model: &dataset.Features{Names: []string{"price", "rel"}, Label: 2}, NoLabels: true,
			Query: "nothing"},
			[]int{0, ignoredColumn, ignoredColumn, ignoredColumn, ignoredColumn, 1}},
		// Columns are matched by position if the model has no names.
		{Options{Model: &dataset.Features{Names: wording.ColumnNames(5), Label: 2}},
			[]int{0, 1, labelColumn, 2, 3, 4}},
		{Options{Weight: "w", Ignore: "junk", Model: &dataset.Features{Names: []string{"f0", "f1"}, Label: 2}},
			[]int{0, ignoredColumn, labelColumn, weightColumn, ignoredColumn, 1}},
	} {
		found, err := c.opts.find(path, names, len(names), anyIDs, none)
		require.NoError(t, err)
		assert.Equal(t, c.want, found.role, "%+v", c.opts)
	}
	noNames := Options{Model: &dataset.Features{Names: []string{"a", "b", "c", "d", "e", "f"}}, NoLabels: true}
	found, err := noNames.find(path, nil, 6, anyIDs, none)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, found.role, "as many columns as features: no label")
	found, err = noNames.find(path, nil, 7, anyIDs, none)
	require.NoError(t, err)
	assert.Equal(t, []int{ignoredColumn, 0, 1, 2, 3, 4, 5}, found.role)

	// A model whose features have only numbers takes names by their order, unless the first is a label's.
	numbered := Options{Model: &dataset.Features{Names: wording.ColumnNames(3)}, NoLabels: true}
	found, err = numbered.find(path, []string{"x", "y", "z"}, 3, anyIDs, none)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2}, found.role)
	_, err = numbered.find(path, []string{"label", "y", "z"}, 3, anyIDs, none)
	require.ErrorContains(t, err, "2 columns that are not the label, 3 features")
}

func TestAutoHeader(t *testing.T) {
	for _, c := range []struct {
		text string
		opts Options
		rows int
	}{
		{"label,f\n0,1\n", Options{}, 1},
		{"0,1\n0,1\n", Options{}, 2},
		{"0,q7\n0,q8\n", Options{Query: "0"}, 2}, // a text in the first row does not make it a header
		{"1,2\n0,1\n", Options{Header: WithHeader}, 1},
		{"1,label\n5,1\n", Options{Label: "name:label"}, 1},
		{"1,label\n5,1\n", Options{Label: "1"}, 1},
	} {
		path := aid.File(t, "data.csv", c.text)
		if c.opts.Query == "" {
			require.NoError(t, os.WriteFile(path+".query", fmt.Appendln(nil, c.rows), 0o666))
		}
		all, _, err := readData(t, path, c.opts)
		require.NoError(t, err, c.text)
		assert.Len(t, all, c.rows, c.text)
	}
}

// TestFolderOfText: the files of a folder are parts of one table, whose companion
// files are beside the folder.
func TestFolderOfText(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "parts")
	require.NoError(t, os.Mkdir(folder, 0o777))
	part := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	part("part-0.csv", "label,f\n0,1\n1,2\n")
	part("part-1.csv", "")
	part("part-2.csv", "label,f\n2,3\n")
	part("_SUCCESS", "")
	require.NoError(t, os.WriteFile(folder+".query", []byte("1\n2\n"), 0o666))
	require.NoError(t, os.WriteFile(folder+".weight", []byte("1\n2\n3\n"), 0o666))
	all, meta, err := readData(t, folder+"/", Options{})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1, 2}, meta.Labels)
	assert.Equal(t, []float64{1, 2, 3}, meta.Weights)
	assert.Equal(t, "1", all[2].query)
	part("part-2.csv", "label,g\n2,3\n")
	_, _, err = readData(t, folder, Options{})
	assert.ErrorIs(t, err, ErrOtherHeader)
	part("part-2.csv", "PAR1")
	_, _, err = readData(t, folder, Options{})
	assert.ErrorIs(t, err, ErrMixedParts)
}

// beyondNaive are errors that the naive reader does not check for.
var beyondNaive = []error{dataset.ErrQueryReturns, ErrRepeated, ErrNameless, ErrName, ErrNoColumn, ErrNotText,
	ErrOneCell, ErrEncoding}

// FuzzData: no input makes the reader panic, and texts that the naive reader accepts are read equally.
func FuzzData(f *testing.F) {
	f.Add([]byte(handmade), uint8(9), false)
	f.Add([]byte(",query,label\n7,a,1\n8,a,0\n"), uint8(9), false)
	for _, c := range badData {
		f.Add([]byte(c.text), uint8(3), false)
	}
	f.Add(randomTable(rand.New(rand.NewPCG(3, 4)), '\t'), uint8(20), true)
	path := filepath.Join(f.TempDir(), "data")
	f.Fuzz(func(t *testing.T, text []byte, size uint8, tabs bool) {
		opts := namedColumns
		opts.blockSize, opts.Workers, opts.Format = 1+int(size), 1+int(size%3), CSV
		comma := ','
		if tabs {
			opts.Format, comma = TSV, '\t'
		}
		require.NoError(t, os.WriteFile(path, text, 0o666))
		got, _, err := readData(t, path, opts)
		want, ok := naiveData(text, comma)
		switch {
		case bytes.ContainsFunc(text, isOtherSpace): // encoding/csv trims it from a field, too
		case ok && err == nil:
			for i := range got { // encoding/csv normalizes line ends within quotes
				got[i].query = strings.ReplaceAll(got[i].query, "\r\n", "\n")
			}
			sameData(t, want, got)
		case ok:
			for _, known := range beyondNaive {
				if errors.Is(err, known) {
					return
				}
			}
			t.Errorf("refused: %v", err)
		}
	})
}

// isOtherSpace reports whether a character is white space that this package does not trim from cells.
func isOtherSpace(c rune) bool { return unicode.IsSpace(c) && !strings.ContainsRune(" \t\r\n", c) }

// columnChoices choose columns by number and by name, with and without a header, for every role.
var columnChoices = []Options{
	{Header: WithoutHeader, Query: "0", Weight: "1"},
	{Label: "1", Query: "name:query", Ignore: "1"},
	{Label: "target", Query: "query", More: []string{"score"}, Ignore: "name:note,other"},
	{Label: "target", Query: "query", More: []string{"1"}, Place: "0"},
	{Label: "name:target", Query: "score", Categorical: "name:query"},
	{Query: "1", Place: "name:score", Categorical: "0,1"},
	{Label: "target", Query: "score", Model: &dataset.Features{Names: []string{"query"},
		Dictionaries: map[int][]string{0: {"a", "b", "1026"}}}},
	{NoLabels: true, Label: "0", Query: "nothing", Model: &dataset.Features{Names: []string{"score", "target"},
		Used: []int{0}}},
	{},
}

// FuzzColumns: for any choice of columns, neither text nor Parquet makes the reader panic, and accepted rows
// are complete.
func FuzzColumns(f *testing.F) {
	const text = "target,query,score\n1,a,2\n0,a,\n3,\"b,c\",0.5\n"
	contents := [][]byte{[]byte(text), []byte("0,1,2\n1,1,3\n"), []byte(handmade)}
	for _, name := range []string{"small/none", "small/delta", "small/zstd", "dictionary_of_arrow"} {
		content, err := os.ReadFile("testdata/" + name + ".parquet")
		require.NoError(f, err)
		contents = append(contents, content)
	}
	for _, content := range contents {
		for how := range columnChoices {
			f.Add(content, uint8(how))
		}
	}
	path := filepath.Join(f.TempDir(), "data")
	f.Fuzz(func(t *testing.T, content []byte, how uint8) {
		opts := columnChoices[int(how)%len(columnChoices)]
		opts.Workers, opts.Format = 1, CSV
		if bytes.HasPrefix(content, []byte(parquet.Mark)) {
			opts.Format = Parquet
		}
		require.NoError(t, os.WriteFile(path, content, 0o666))
		d, err := Open(path, opts)
		if err != nil {
			return
		}
		defer d.Close()
		if _, err := dataset.Describe(t.Context(), d); err != nil {
			return
		}
		rows := 0
		meta, err := dataset.Scan(t.Context(), d, nil, func(int, dataset.Row) error {
			rows++
			return nil
		})
		if err == nil {
			require.NoError(t, meta.Check())
			require.Equal(t, meta.NumRows(), rows)
		}
	})
}

// none says no of every column.
func none(int) bool { return false }
