package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/io/data/internal/binned"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/test/aid"
)

// queries returns LETOR text with queries of random lengths, comments and blank lines.
func queries(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for q := range n {
		for range 1 + rng.IntN(9) {
			fmt.Fprintf(&b, "%d qid:%d", rng.IntN(5), 1000+q)
			for f := range 1 + rng.IntN(8) {
				if rng.IntN(3) > 0 {
					fmt.Fprintf(&b, " %d:%.3g", f+1, rng.NormFloat64()*float64(rng.IntN(4)))
				}
			}
			b.WriteString([]string{"\n", " # doc\n", "\r\n", "\n\n", "\n# a comment\n"}[rng.IntN(5)])
		}
	}
	return b.String()
}

// loaded holds what must not depend on the number of peers.
type loaded struct {
	mapper  string
	rows    [2]uint64
	labels  []float64
	queries []dataset.Query

	weights, initial, second []float64
	positions                []string
	places                   []string // names of positions
	words                    map[int][]string
	remarks                  []string // about categories
}

func load(t *testing.T, g peers.Group, p histogram.BinParams, paths ...string) ([]loaded, error) {
	return loadWith(t, g, p, LoadOptions{Layout: DefaultLayout()}, paths...)
}

func loadWith(t *testing.T, g peers.Group, p histogram.BinParams, options LoadOptions,
	paths ...string) ([]loaded, error) {
	options.Workers, options.Peers = 2, g
	l, err := loadFiles(context.Background(), p, options, paths[0], paths[1:]...)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var all []loaded
	for _, s := range append([]*Set{l.Training}, l.Validation...) {
		o := loaded{labels: s.Meta.Labels, queries: append([]dataset.Query(nil), s.Meta.Queries...)}
		o.places, o.words = s.Meta.PositionNames, s.Meta.Dictionaries
		for _, r := range s.Remarks {
			if r.IsWarning && strings.Contains(r.Text, "categorical") {
				o.remarks = append(o.remarks, r.Text)
			}
		}
		o.weights, o.initial, o.second = s.Meta.Weights, s.Meta.InitialScores, nil
		for _, l := range s.Meta.More {
			o.second = append(o.second, l.Values...)
		}
		for _, number := range s.Meta.Positions {
			o.positions = append(o.positions, s.Meta.PositionNames[number])
		}
		first, _ := s.Meta.Part.First()
		var numbers, bounds string
		numbers, bounds, o.rows = s.Bins.Fingerprint(first, 2)
		o.mapper = fmt.Sprint(numbers, bounds, s.Meta.Features, s.Meta.Context)
		for i := range o.queries {
			o.queries[i].First += first
		}
		all = append(all, o)
	}
	return all, nil
}

// joined loads on the given number of peers, and returns their joined data.
func joined(t *testing.T, size int, p histogram.BinParams, paths ...string) ([]loaded, error) {
	return joinedWith(t, size, p, LoadOptions{Layout: DefaultLayout()}, paths...)
}

func joinedWith(t *testing.T, size int, p histogram.BinParams, o LoadOptions, paths ...string) ([]loaded,
	error) {
	parts := make([][]loaded, size)
	err := aid.Peers(size, func(g peers.Group) (err error) {
		parts[g.Rank()], err = loadWith(t, g, p, o, paths...)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := parts[0]
	for _, part := range parts[1:] {
		for i := range part {
			if part[i].mapper != all[i].mapper {
				return nil, errors.New("peers have different bins")
			}
			if i == 0 && len(part[i].places) > 0 && !slices.Equal(part[i].places, all[i].places) {
				return nil, errors.New("peers name positions differently")
			}
			all[i].labels = append(all[i].labels[:len(all[i].labels):len(all[i].labels)], part[i].labels...)
			all[i].queries = append(all[i].queries, part[i].queries...)
			all[i].weights = slices.Concat(all[i].weights, part[i].weights)
			all[i].initial = slices.Concat(all[i].initial, part[i].initial)
			all[i].second = slices.Concat(all[i].second, part[i].second) // one further label
			all[i].positions = slices.Concat(all[i].positions, part[i].positions)
			all[i].rows[0] += part[i].rows[0]
			all[i].rows[1] += part[i].rows[1]
		}
	}
	return all, nil
}

// peerParams are how data of peers is binned.
var peerParams = histogram.BinParams{MaxBin: 20, MinDataInBin: 3, SampleCount: 150,
	Missing: histogram.MissingNaN, Seed: 4}

// sameForPeers requires that each of several numbers of peers loads what one process does, and returns that.
func sameForPeers(t *testing.T, p histogram.BinParams, o LoadOptions, sizes []int, paths ...string) []loaded {
	t.Helper()
	want, err := loadWith(t, peers.Group{}, p, o, paths...)
	require.NoError(t, err, paths)
	for _, size := range sizes {
		got, err := joinedWith(t, size, p, o, paths...)
		require.NoError(t, err, "%s, %d peers", paths, size)
		require.Equal(t, want, got, "%s, %d peers", paths, size)
	}
	return want
}

func TestPeersLoadTheSame(t *testing.T) {
	p := peerParams
	p.MaxBinByFeature = "1:7"
	folder := t.TempDir()
	for n, text := range []string{queries(1, 60), queries(2, 9), "\xef\xbb\xbf" + queries(3, 40),
		strings.TrimSpace(queries(4, 30)), queries(5, 1)} {
		train, valid := filepath.Join(folder, fmt.Sprint("t", n)), filepath.Join(folder, fmt.Sprint("v", n))
		require.NoError(t, os.WriteFile(train, []byte(text), 0o666))
		require.NoError(t, os.WriteFile(valid, []byte(queries(uint64(100+n), 20)), 0o666))
		// more peers than queries, and boundaries at every offset
		sameForPeers(t, p, LoadOptions{Layout: DefaultLayout()}, loadSizes(12), train, valid)
	}
}

// TestPeersNamePlaces: messages of each peer name the lines of the file.
func TestPeersNamePlaces(t *testing.T) {
	path := aid.File(t, "t", queries(1, 60))
	described := func(g peers.Group) (*dataset.Meta, error) {
		f, err := Open(path, Options{Layout: DefaultLayout(), Peers: g})
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return dataset.Describe(t.Context(), f)
	}
	whole, err := described(peers.Group{})
	require.NoError(t, err)
	require.NoError(t, aid.Peers(3, func(g peers.Group) error {
		part, err := described(g)
		if err != nil {
			return err
		}
		first, _ := part.Part.First()
		for _, row := range []int{0, 7, part.NumRows() - 1} {
			assert.Equal(t, whole.Place(first+row), part.Place(row))
			assert.Contains(t, part.Place(row), path+":")
		}
		return nil
	}))
}

// TestPeersKeepNames: features of LETOR text keep their names if peers share the data.
func TestPeersKeepNames(t *testing.T) {
	o := LoadOptions{Layout: DefaultLayout()}
	o.Names = "name:a,b,c,d,e,f,g,h"
	all := sameForPeers(t, peerParams, o, []int{3}, aid.File(t, "t", queries(1, 60)))
	require.Contains(t, all[0].mapper, "[Column_0 a b c d e f g h]")
}

// TestPeersShareStoredBins: binned data is divided by whole queries, like text.
func TestPeersShareStoredBins(t *testing.T) {
	p, o := peerParams, LoadOptions{Layout: DefaultLayout()}
	stored := filepath.Join(t.TempDir(), "t.bin")
	l := NewLoader(p, o)
	s, err := l.Training(t.Context(), Input{Path: aid.File(t, "t", queries(1, 60))})
	require.NoError(t, err)
	store(t, stored, l, s)
	sameForPeers(t, p, o, []int{2, 3, 7, 90}, stored, stored) // 90: some have no rows
	require.NoError(t, aid.Peers(3, func(g peers.Group) error {
		part, err := load(t, g, p, stored)
		if err == nil {
			assert.InDelta(t, s.Meta.NumRows()/3, len(part[0].labels), 9, "a third of the rows, but for a query")
		}
		return err
	}))
	other := filepath.Join(t.TempDir(), "other.bin")
	s.Meta.Labels[0]++
	store(t, other, l, s)
	assert.ErrorIs(t, aid.Peers(2, func(g peers.Group) error {
		_, err := load(t, g, p, []string{stored, other}[g.Rank()])
		return err
	}), ErrUnequal)
}

func TestWhatPeersCannotShare(t *testing.T) {
	p, folder := peerParams, t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	returns := "1 qid:7 1:2\n" + queries(3, 30) + "1 qid:7 1:3\n"
	for path, want := range map[string]string{
		write("bad.csv", "label,qid,a\n"+strings.Repeat("1,2,3\n1,4,5\n", 1)+"1,7,\"x\ny\"\n"): "bad.csv:4",
		write("returns", returns):                        "its rows are in the parts of several peers",
		write("none", strings.Repeat("1 1:2 2:3\n", 50)): "no row has a qid",
		write("mixed", queries(3, 30)+"1 1:2\n"): fmt.Sprintf("mixed:%d",
			strings.Count(queries(3, 30), "\n")+1),
		write("bad", queries(9, 40)+"1 qid:4 1:x\n"): fmt.Sprintf("bad:%d",
			strings.Count(queries(9, 40), "\n")+1),
		write("empty", "\n# nothing\n"): "no row",
	} {
		_, err := joined(t, 2, p, path)
		assert.ErrorContains(t, err, want, path)
	}
	o := LoadOptions{Layout: DefaultLayout()}
	o.Labels = "click,buy"
	for ending, want := range map[string]error{".weight": dataset.ErrWeightCount,
		".init": dataset.ErrInitialCount, ".label.buy": dataset.ErrFurtherCount,
		".position": dataset.ErrPositionCount} {
		with := write("with"+ending, queries(3, 30))
		write("with"+ending+ending, "1\n")
		_, err := joinedWith(t, 3, p, o, with)
		assert.ErrorIs(t, err, want)
		write("with"+ending+ending, strings.Repeat("1\n", 10_000))
		_, err = joinedWith(t, 3, p, o, with)
		assert.ErrorIs(t, err, want)
		write("with"+ending+ending, strings.Repeat("1\n", 3)+"1 2\n")
		_, err = joinedWith(t, 2, p, o, with)
		assert.Error(t, err)
	}
	counted := write("counted", strings.Repeat("1 1:2 2:3\n", 50))
	for _, counts := range []string{"49\n", "20\n31\n", "50\n10\n", "20\nx\n30\n"} {
		write("counted.query", counts)
		_, err := joined(t, 3, p, counted)
		assert.ErrorContains(t, err, "counted.query", counts)
	}
	_, err := joined(t, 2, p, write("packed.gz", zipped(t, queries(3, 30))))
	assert.ErrorIs(t, err, ErrUndivided)
	unequal := []string{write("other", queries(4, 30)), write("unlike", queries(5, 30))}
	assert.ErrorIs(t, aid.Peers(2, func(g peers.Group) error {
		_, err := load(t, g, p, unequal[g.Rank()])
		return err
	}), ErrUnequal)
}

// TestShardsAreRefused: a folder of shards of an earlier version is refused with what to do instead.
func TestShardsAreRefused(t *testing.T) {
	path := folder(t, map[string]string{"shards.json": "{}", "0.bin": "", "a.txt": queries(1, 20)})
	dir := filepath.Dir(path("0.bin"))
	p := peerParams
	for name, load := range map[string]func() error{
		"training":   func() error { _, err := load(t, peers.Group{}, p, dir); return err },
		"validation": func() error { _, err := load(t, peers.Group{}, p, path("a.txt"), dir); return err },
		"peers":      func() error { _, err := joined(t, 2, p, dir); return err },
		"reference":  func() error { return NewLoader(p, LoadOptions{}).Reference(dir) },
	} {
		err := load()
		assert.ErrorIs(t, err, binned.ErrShards, name)
		assert.ErrorContains(t, err, dir+": ", name)
		assert.NotContains(t, err.Error(), "\n", name)
	}
	_, err := Open(dir, Options{Layout: DefaultLayout()})
	assert.ErrorIs(t, err, ErrBinned)
}

// TestPeersStoreNothing: a part of the data is not stored as if it were all of it.
func TestPeersStoreNothing(t *testing.T) {
	path := aid.File(t, "t", queries(1, 20))
	assert.ErrorIs(t, aid.Peers(2, func(g peers.Group) error {
		l := NewLoader(peerParams, LoadOptions{Layout: DefaultLayout(), Peers: g})
		defer l.Close()
		s, err := l.Training(t.Context(), Input{Path: path})
		if err != nil {
			return err
		}
		return l.Store(io.Discard, s)
	}), errPart)
}

// rowOfTable is a row of a table: label, query, weight, and three features; one of them is a text of digits.
type rowOfTable struct {
	query string
	cells []float64
}

// tableRows returns the rows of queries with random lengths.
func tableRows(seed uint64, n int) (rows []rowOfTable) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for q := range n {
		weight := float64(1 + rng.IntN(3))
		for range 1 + rng.IntN(9) {
			rows = append(rows, rowOfTable{fmt.Sprint("q", 7*q), []float64{float64(rng.IntN(5)), weight,
				math.Round(8 * rng.NormFloat64()), rng.Float64(), float64(rng.IntN(3))}})
		}
	}
	return rows
}

// asText formats a table as text. Some cells are in quotes, ids contain line ends, and some lines are blank.
func asText(rows []rowOfTable, comma string) string {
	rng := rand.New(rand.NewPCG(1, 1))
	b := strings.Join([]string{"label", "weight", "qid", "a", "b", "c"}, comma) + "\n"
	for _, r := range rows {
		cells := []string{}
		for _, v := range r.cells {
			text := strconv.FormatFloat(v, 'g', -1, 64)
			if rng.IntN(4) == 0 {
				text = `"` + text + `"`
			}
			cells = append(cells, text)
		}
		id := r.query
		if strings.HasSuffix(id, "4") {
			id = "\"a\nb\"\"" + id + "\n\""
		}
		b += strings.Join(slices.Insert(cells, 2, id), comma) + []string{"\n", "\r\n", "\n\n"}[rng.IntN(3)]
	}
	return b
}

func asParquet(t *testing.T, rows []rowOfTable) string {
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, []parquet.Field{{Name: "label"}, {Name: "weight"}, {Name: "qid", Text: true},
		{Name: "a"}, {Name: "b"}, {Name: "c"}})
	require.NoError(t, err)
	for _, r := range rows {
		require.NoError(t, w.Add(r.cells, []string{r.query}))
	}
	require.NoError(t, w.Close())
	return b.String()
}

// TestPeersShareTables: text and Parquet tables, in files and folders, are divided by whole queries.
func TestPeersShareTables(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	all := tableRows(1, 40)
	write("t.csv", asText(all, ","))
	write("t.tsv", "\xef\xbb\xbf"+strings.TrimSpace(asText(all, "\t")))
	write("t.parquet", asParquet(t, all))
	for i, from := range []int{0, 3, 4, 90, 90, len(all)} { // parts begin within queries; one has no rows
		to := append([]int{3, 4, 90, 90}, len(all), len(all))[i]
		write(fmt.Sprintf("csv/part-%d.csv", i), asText(all[from:to], ","))
		write(fmt.Sprintf("parquet/part-%d.parquet", i), asParquet(t, all[from:to]))
	}
	layout := DefaultLayout()
	layout.Weight = "name:weight"
	for _, name := range []string{"t.csv", "t.tsv", "t.parquet", "csv", "parquet"} {
		path := filepath.Join(dir, name)
		sameForPeers(t, peerParams, LoadOptions{Layout: layout}, loadSizes(6, 12, 50), path, path)
	}
}

// TestPeersShareWords: categories and positions get the same numbers as in the whole table, categories the
// same bins, and query context the same values.
func TestPeersShareWords(t *testing.T) {
	p, rng := peerParams, rand.New(rand.NewPCG(5, 5))
	p.Categorical = "name:brand,b"
	const head = "label,qid,place,brand,a,b\n"
	table, others := head, head
	for _, r := range tableRows(1, 60) {
		brand := fmt.Sprintf("brand %d", min(rng.IntN(40), rng.IntN(40)))
		table += fmt.Sprintf("%v,%s,p%d,%s,%v,%v\n", r.cells[0], r.query, rng.IntN(12), brand, r.cells[3],
			r.cells[2]/2)
		others += fmt.Sprintf("%v,%s,p%d,%s,%v,%v\n", r.cells[0], r.query, rng.IntN(15),
			brand+strings.Repeat(" new", rng.IntN(2)), r.cells[3], 1)
	}
	o := LoadOptions{Layout: DefaultLayout(), QueryContext: []string{"rank", "count"}}
	o.Query, o.Position = "name:qid", "name:place"
	all := sameForPeers(t, p, o, loadSizes(6, 12, 70), aid.File(t, "t.csv", table), aid.File(t, "v.csv", others))
	require.NotEmpty(t, all[0].remarks)
	require.Len(t, all[0].words, 1)
}

// TestPeersShareCompanions: companion files are read for the rows of each peer's part.
func TestPeersShareCompanions(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	all := tableRows(1, 40)
	var letor, lines, counts, queryWeights, csv strings.Builder
	lengths := map[string]int{}
	csv.WriteString("label,a,b\n")
	for i, r := range all {
		fmt.Fprintf(&letor, "%v 1:%v 2:%v\n", r.cells[0], r.cells[2], r.cells[3])
		fmt.Fprintf(&csv, "%v,%v,\"%v\"\n", r.cells[0], r.cells[2], r.cells[3])
		fmt.Fprintf(&lines, "%d\n", i%17)
		if lengths[r.query]++; i+1 == len(all) || all[i+1].query != r.query {
			fmt.Fprintf(&counts, "%d\n", lengths[r.query])
			fmt.Fprintf(&queryWeights, "%v\n", r.cells[1])
			if i%5 == 0 {
				counts.WriteString("0\n")
			}
		}
	}
	asPairs := queries(3, 40)
	rowsOf := strings.Count(asPairs, "qid:")
	for name, content := range map[string]string{
		"a": letor.String(), "a.query": counts.String(), "a.weight": lines.String(), "a.position": lines.String(),
		"a.label.buy": lines.String(),
		"b.csv":       csv.String(), "b.csv.query": counts.String(), "b.csv.init": lines.String(),
		"c": asPairs, "c.weight": strings.Repeat("2\n0.5\n", rowsOf/2) + strings.Repeat("1\n", rowsOf%2),
		"c.init": strings.Repeat("-1\n", rowsOf),
		"d":      asPairs, "d.weight": strings.Repeat("2\n0.5\n", 20), // one for each query
	} {
		require.NoError(t, os.WriteFile(at(name), []byte(content), 0o666))
	}
	for _, name := range []string{"a", "b.csv", "c", "d"} {
		o := LoadOptions{Layout: DefaultLayout()}
		if name == "a" {
			o.Labels = "click,buy"
		}
		sameForPeers(t, peerParams, o, loadSizes(5, 12, 50), at(name), at(name))
	}
}

// loadSizes returns the numbers of peers from 1 to most, and more; only some of them in short mode.
func loadSizes(most int, more ...int) (sizes []int) {
	if testing.Short() {
		return []int{2, 3, 12}
	}
	for size := 1; size <= most; size++ {
		sizes = append(sizes, size)
	}
	return append(sizes, more...)
}
