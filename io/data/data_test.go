package data

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
	"github.com/lambdamart/lambdamart/tree"
)

// The same six rows in several formats. LETOR text has a feature 0 without values, so the tables have a
// column for it.
const (
	asLETOR = "2 qid:1 1:3 2:0.5 # docid = A\n0 qid:1 1:1 2:4\n1 qid:1 1:2 2:1\n0 qid:2 1:1 2:0.25\n1 qid:2 " +
		"1:3 2:4\n2 qid:2 1:5\n"
	asCSV = "grade,Column_0,Column_1,Column_2,query\n2,0,3,0.5,1\n0,0,1,4,1\n1,0,2,1,1\n0,0,1,0.25,2" +
		"\n1,0,3,4,2\n2,0,5,0,2\n"
)

var (
	ofTable   = Layout{Label: "name:grade", Query: "name:query"}
	ctx       = context.Background()
	binParams = histogram.BinParams{MaxBin: 255, MinDataInBin: 1, SampleCount: 1000,
		Missing: histogram.MissingNaN}
)

// folder makes a folder with the given files and returns a function that maps names to paths.
func folder(t *testing.T, files map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

func zipped(t *testing.T, text string) string {
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return packed.String()
}

// loadFiles is Load for paths of files.
func loadFiles(ctx context.Context, p histogram.BinParams, o LoadOptions, training string,
	validation ...string) (
	*Loaded, error) {
	var inputs []Input
	for _, path := range validation {
		inputs = append(inputs, Input{Path: path})
	}
	return Load(ctx, p, o, Input{Path: training}, inputs...)
}

// rowsOf formats the rows of a file: label, query, and nonzero values.
func rowsOf(t *testing.T, f dataset.File) []string {
	t.Helper()
	var all []string
	work := func(int, *dataset.Block) error { return nil }
	require.NoError(t, dataset.Stream(ctx, f, work, func(b *dataset.Block) error {
		for _, q := range b.Queries {
			for row := q.First; row < q.First+q.Len; row++ {
				line := fmt.Sprint(b.Labels[row-b.FirstRow], " qid:", q.ID)
				for i, f := range b.Rows[row-b.FirstRow].Feature {
					if v := b.Rows[row-b.FirstRow].Value[i]; v != 0 {
						line += fmt.Sprintf(" %d:%v", f, v)
					}
				}
				all = append(all, line)
			}
		}
		return nil
	}))
	return all
}

func TestOpenByContent(t *testing.T) {
	tabs := strings.ReplaceAll(asCSV, ",", "\t")
	head, lines := asCSV[:strings.Index(asCSV, "\n")+1], strings.SplitAfter(asCSV, "\n")[1:]
	path := folder(t, map[string]string{
		"a.txt": asLETOR, "a.gz": zipped(t, asLETOR), "b.csv": asCSV, "b": asCSV, "b.tsv": tabs, "c": tabs,
		"d.csv.gz":         zipped(t, asCSV),
		"parts/part-0.csv": head + strings.Join(lines[:2], ""), "parts/part-1.csv": head +
			strings.Join(lines[2:], ""), "parts/_SUCCESS": "",
	})
	var want []string
	for name, isTable := range map[string]bool{"a.txt": false, "a.gz": false, "b.csv": true, "b": true,
		"b.tsv": true, "c": true, "d.csv.gz": true, "parts": true} {
		o := Options{Workers: 2}
		if isTable {
			o.Layout = ofTable
		}
		f, err := Open(path(name), o)
		require.NoError(t, err, name)
		assert.Equal(t, isTable, f.Table, name)
		rows := rowsOf(t, f)
		require.NoError(t, f.Close())
		if want == nil {
			want = rows
		}
		require.Len(t, rows, 6)
		assert.Equal(t, want, rows, name)
	}
}

func TestOpenRefuses(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "b.csv": asCSV, "folder/x.txt": asLETOR,
		"folder/y.txt": asLETOR})
	l := NewLoader(binParams, LoadOptions{})
	s, err := l.Training(ctx, Input{Path: path("a.txt")})
	require.NoError(t, err)
	store(t, path("a.bin"), l, s)
	for _, c := range []struct {
		name string
		o    Options
		want error
		text string
	}{
		{"a.bin", Options{}, ErrBinned,
			"a.bin is binned data, which no longer has feature values: give the data that it was made from"},
		{"absent", Options{}, os.ErrNotExist, "absent"},
		{"folder", Options{}, table.ErrStray, "folder/x.txt: it does not look like a part of a table"},
		{"b.csv", Options{Layout: Layout{Query: "none"}}, table.ErrNoQueries, "b.csv"},
		{"b.csv", Options{Layout: Layout{Query: "name:qid"}}, table.ErrNoColumn, "b.csv"},
		{"a.txt", Options{Layout: Layout{Format: "xls"}}, nil, "data_format=xls"},
		{"b.csv", Options{Layout: Layout{Header: "yes"}}, nil, "header=yes"},
		{"a.txt", Options{Layout: Layout{FeatureBase: 2}}, nil, "feature_base=2"},
		{"b.csv", Options{Layout: Layout{FeatureBase: 1}}, ErrBase, "b.csv is a table: feature_base=1"},
	} {
		_, err := Open(path(c.name), c.o)
		require.ErrorContains(t, err, c.text)
		if c.want != nil {
			assert.ErrorIs(t, err, c.want)
		}
	}
}

func TestLearnCategoriesFails(t *testing.T) {
	path := folder(t, map[string]string{"a.csv": "label,qid,brand\n1,1,x\n0,1\n"})
	f, err := Open(path("a.csv"), Options{Categorical: "name:brand", Layout: Layout{Query: "name:qid"}})
	require.NoError(t, err)
	defer f.Close()
	_, err = dataset.Describe(ctx, f)
	assert.ErrorContains(t, err, "a.csv:3")
}

func TestOpenOptions(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "b.csv": asCSV})
	seen := map[string]int64{}
	f, err := Open(path("a.txt"), Options{Docs: true, Workers: 1,
		Progress: func(path string, read, total int64) { seen[path] = read }})
	require.NoError(t, err)
	defer f.Close()
	meta, err := dataset.Describe(ctx, f)
	require.NoError(t, err)
	assert.Equal(t, "A", meta.Docs[0])
	assert.Equal(t, map[string]int64{path("a.txt"): int64(len(asLETOR))}, seen)

	f, err = Open(path("b.csv"), Options{Layout: Layout{Format: CSV, Query: "name:query"}, NoLabels: true,
		Features: &dataset.Features{Names: []string{"Column_2", "other"}, Used: []int{0}}})
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, "0 qid:1 0:0.5", rowsOf(t, f)[0])
}

// bins returns the bins of all features with more than one bin, row by row.
func bins(s *Set) (all []int) {
	for row := range s.Bins.NumRows() {
		for c := range s.Bins.Columns {
			all = append(all, int(s.Bins.At(int32(row), int32(c))))
		}
	}
	return all
}

// TestLoadBinsAllSetsAlike: text, tables, binned data and rows in memory get the same bins, as training data
// and as validation sets.
func TestLoadBinsAllSetsAlike(t *testing.T) {
	withoutQuery := regexp.MustCompile("(?m),[^,]*$").ReplaceAllString(asCSV, "")
	path := folder(t, map[string]string{"a.txt": asLETOR, "b.csv": withoutQuery, "b.csv.query": "3\n3\n"})
	o := LoadOptions{Layout: Layout{Label: "name:grade"}, Workers: 2}
	l := NewLoader(binParams, LoadOptions{Workers: 2})
	s, err := l.Training(ctx, Input{Path: path("a.txt")})
	require.NoError(t, err)
	want := bins(s)
	store(t, path("a.bin"), l, s)
	for _, training := range []string{"a.txt", "b.csv", "a.bin"} {
		all, err := loadFiles(ctx, binParams, o, path(training), path("a.txt"), path("b.csv"), path("a.bin"))
		require.NoError(t, err, training)
		for i, s := range append([]*Set{all.Training}, all.Validation...) {
			assert.Equal(t, want, bins(s), "%s, set %d", training, i)
			assert.Equal(t, []string{"training", "valid_1", "valid_2", "valid_3"}[i], s.Name)
			assert.Same(t, all.Training.Bins.Mapper, s.Bins.Mapper)
			assert.Equal(t, strings.HasSuffix(s.Path, ".bin"), s.Stored)
			assert.Positive(t, s.Reading+s.Binning)
			assert.Empty(t, s.Remarks)
		}
		assert.Equal(t, binParams, all.Params)
		require.NoError(t, all.Close())
	}
	rows := [][]float64{{0, 3, 0.5}, {0, 1, 4}, {0, 2, 1}, {0, 1, 0.25}, {0, 3, 4}, {0, 5, 0}}
	memory, err := dataset.FromRows(rows, []float64{2, 0, 1, 0, 1, 2}, []int{3, 3})
	require.NoError(t, err)
	all, err := Load(ctx, binParams, LoadOptions{}, Input{Source: memory}, Input{Source: memory})
	require.NoError(t, err)
	assert.Equal(t, want, bins(all.Training))
	assert.Equal(t, want, bins(all.Validation[0]))
	require.NoError(t, all.Close())
	inputs := []Input{{Source: memory}, {Path: path("a.txt")}, {Path: path("a.bin")}}
	for _, training := range inputs {
		all, err := Load(ctx, binParams, LoadOptions{Workers: 2}, training, inputs...)
		require.NoError(t, err, training.Path)
		for _, s := range append([]*Set{all.Training}, all.Validation...) {
			assert.Equal(t, want, bins(s), "%s after %s", s.Path, training.Path)
		}
		require.NoError(t, all.Close())
	}
	_, err = NewLoader(binParams, o).Add(ctx, "valid_1", Input{Source: memory})
	assert.ErrorIs(t, err, errFirst)
}

// TestLoadedSeesSetsInOrder: each set is passed to Loaded before the next one is read. None is read if a
// later one is not there.
func TestLoadedSeesSetsInOrder(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "bad.txt": "x qid:1 1:1\n"})
	var names []string
	o := LoadOptions{Loaded: func(s *Set) { names = append(names, s.Name) }}
	_, err := loadFiles(ctx, binParams, o, path("a.txt"), path("a.txt"), path("bad.txt"))
	require.ErrorContains(t, err, "bad.txt:1:1")
	assert.Equal(t, []string{"training", "valid_1"}, names)
	names = nil
	_, err = loadFiles(ctx, binParams, o, path("a.txt"), path("a.txt"), path("absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.EqualError(t, err, path("absent")+": no such file or directory")
	assert.Empty(t, names)
	err = Each(ctx, o, path("a.txt"), []string{path("absent")},
		func(context.Context, string, dataset.Source) (*dataset.Meta, error) { panic("nothing is read") })
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func remarks(s *Set) (all []string) {
	for _, r := range s.Remarks {
		all = append(all, fmt.Sprintf("%v %s", r.IsWarning, r.Text))
	}
	return all
}

func TestRemarks(t *testing.T) {
	path := folder(t, map[string]string{
		"a.txt": asLETOR, "wide.txt": "1 qid:7 2:nan 4:1\n0 qid:7 1:nan\n", "wide.txt.init": "1\n2\n",
		"wide.txt.position": "top\nside\n",
	})
	l := NewLoader(binParams, LoadOptions{})
	s, err := l.Training(ctx, Input{Path: path("a.txt")})
	require.NoError(t, err)
	assert.Empty(t, s.Remarks)
	s, err = l.Add(ctx, "wide", Input{Path: path("wide.txt")})
	require.NoError(t, err)
	wide := path("wide.txt")
	assert.Equal(t, []string{
		"true " + wide + ": has 2 features more than the training data; they are ignored",
		"false wide: scores begin at those of " + wide + ".init, which are not part of the model: add them to " +
			"its scores",
		"true " + wide + ": NaN counts as 0 in features that had none where bins were found: Column_1 (1 row), " +
			"Column_2 (1 row)",
		"true " + wide + " has initial scores, and the training data has none: its metrics are not those of the " +
			"trees alone; give both or neither",
	}, remarks(s))

	narrow, err := dataset.FromRows([][]float64{{1}}, []float64{1}, []int{1})
	require.NoError(t, err)
	broad, err := dataset.FromRows([][]float64{{1, 2}, {2, 3}}, []float64{1, 0}, []int{2})
	require.NoError(t, err)
	all, err := Load(ctx, binParams, LoadOptions{}, Input{Source: broad}, Input{Source: narrow})
	require.NoError(t, err)
	assert.Equal(t, []string{"true valid_1: has 1 feature fewer than the training data; it counts as zero",
		"true valid_1: in none of the queries do the grades of documents differ, so that ranking metrics are the " +
			"same for every model; check the labels"}, remarks(all.Validation[0]))
}

// TestUnknownCategories: a set, binned or not, with only categories that have no bin is warned about, and so
// is training data with only categories that the model from which training continues does not know.
func TestUnknownCategories(t *testing.T) {
	table := func(first, step int) string {
		text := "label,qid,brand\n"
		for i := range 150 {
			text += fmt.Sprintf("%d,%d,%d\n", i%2, i/10, first+step*(i%3))
		}
		return text
	}
	path := folder(t, map[string]string{"a.csv": table(0, 1), "new.csv": table(70, 1), "one.csv": table(2, 50),
		"missing.csv": strings.ReplaceAll(table(70, 0), ",70\n", ",\n")})
	p := binParams
	p.Categorical, p.Missing = "name:brand", histogram.MissingNaN
	l := NewLoader(p, LoadOptions{})
	s, err := l.Training(ctx, Input{Path: path("a.csv")})
	require.NoError(t, err)
	about := func(s *Set) []string {
		return slices.DeleteFunc(remarks(s), func(text string) bool { return !strings.Contains(text, "brand: ") })
	}
	assert.Empty(t, about(s))
	for _, name := range []string{"one.csv", "missing.csv", "new.csv"} {
		s, err = l.Add(ctx, "valid_1", Input{Path: path(name)})
		require.NoError(t, err)
		if name != "new.csv" {
			assert.Empty(t, about(s), name)
		}
	}
	store(t, path("new.bin"), l, s)
	stored, err := l.Add(ctx, "valid_2", Input{Path: path("new.bin")})
	require.NoError(t, err)
	for _, s := range []*Set{s, stored} {
		assert.Equal(t, []string{"true " + s.Path + ": column brand: the training data has bins for none of its " +
			"categories (150 cells; it has them for 0, 1, 2), so that splits send all documents the same way: give " +
			"categories the numbers that they have there"}, about(s))
	}

	m := usesFirst(dataset.Unnumbered)
	brand := &m.Trees[0]
	brand.Decision[0], brand.Threshold[0] = tree.Categorical, 0
	brand.CategoryStart, brand.Categories = []int32{0, 1}, []uint32{1 << 2}
	m.Features = []tree.Feature{{Name: "brand"}}
	for name, want := range map[string]int{"a.csv": 0, "new.csv": 1} {
		s, err := NewLoader(p, LoadOptions{InitialModel: m}).Training(ctx, Input{Path: path(name)})
		require.NoError(t, err)
		require.Len(t, about(s), want, name)
		if want > 0 {
			assert.Contains(t, about(s)[0], "the model that training continues from: column brand: the model")
		}
	}
}

// TestBinnedDataSettlesParameters: parameters that the caller sets explicitly must equal the stored ones; all
// others are taken from the file.
func TestBinnedDataSettlesParameters(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR})
	made := histogram.BinParams{MaxBin: 4, MinDataInBin: 2, SampleCount: 5, Seed: 9,
		Missing: histogram.MissingZero}
	l := NewLoader(made, LoadOptions{Layout: Layout{FeatureBase: 1}})
	s, err := l.Training(ctx, Input{Path: path("a.txt")})
	require.NoError(t, err)
	store(t, path("a.bin"), l, s)

	all, err := loadFiles(ctx, binParams, LoadOptions{}, path("a.bin"), path("a.txt"), path("a.bin"))
	require.NoError(t, err)
	want := made
	want.Seed = binParams.Seed
	assert.Equal(t, want, all.Params)
	assert.Equal(t, 1, all.Layout.FeatureBase)
	assert.Equal(t, bins(s), bins(all.Validation[0]))
	assert.Equal(t, []string{"false " + path("a.bin") + ": the rows from which its bins were found were " +
		"drawn with seed=9; seed=0 decides all other draws"}, remarks(all.Training))
	assert.Empty(t, all.Validation[1].Remarks, "said once")
	require.NoError(t, all.Close())

	for given, text := range map[string]string{
		"max_bin": "max_bin=255: " + path("a.bin") + " was binned with max_bin=4; leave the " +
			"parameter out, or bin the data again",
		"min_data_in_bin":          "min_data_in_bin=1: ",
		"bin_construct_sample_cnt": "bin_construct_sample_cnt=1000: ",
		"feature_base":             "feature_base=0: ",
		"use_missing": "use_missing=true zero_as_missing=false: " + path("a.bin") +
			" was binned with use_missing=true zero_as_missing=true; leave the parameters out",
		"zero_as_missing": "leave the parameters out",
	} {
		_, err := loadFiles(ctx, binParams, LoadOptions{Given: []string{given}}, path("a.bin"))
		var binning *binningError
		require.ErrorAs(t, err, &binning, given)
		assert.ErrorContains(t, err, text)
	}
	by := made
	by.MaxBinByFeature = "1:3"
	_, err = loadFiles(ctx, by, LoadOptions{}, path("a.bin"))
	assert.ErrorContains(t, err, path("a.bin")+" was binned with a number of bins for each")
	_, err = loadFiles(ctx, made, LoadOptions{Layout: Layout{FeatureBase: 1},
		Given: []string{"max_bin", "feature_base", "use_missing"}}, path("a.bin"))
	assert.NoError(t, err)
}

func TestReference(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "b.txt": "1 qid:7 1:2 2:1 9:1\n"})
	l := NewLoader(binParams, LoadOptions{})
	s, err := l.Training(ctx, Input{Path: path("a.txt")})
	require.NoError(t, err)
	store(t, path("a.bin"), l, s)
	mapper := l.mapper

	l = NewLoader(binParams, LoadOptions{})
	_, err = l.Add(ctx, "b", Input{Path: path("b.txt")})
	require.ErrorContains(t, err, "comes after Loader.Training or Loader.Reference")
	require.NoError(t, l.Reference(path("a.bin")))
	s, err = l.Add(ctx, "b", Input{Path: path("b.txt")})
	require.NoError(t, err)
	assert.Equal(t, mapper.Features, l.mapper.Features)
	assert.Equal(t, []string{"Column_0", "Column_1", "Column_2"}, l.columns.Features)
	assert.Len(t, s.Meta.Features, 10)
	require.Error(t, NewLoader(binParams, LoadOptions{}).Reference(path("a.txt")))
}

// TestEach keeps the values of rows, with columns matched to the training data's.
func TestEach(t *testing.T) {
	path := folder(t, map[string]string{
		"a.csv": "grade,x,y,query\n2,3,0.5,1\n0,1,4,1\n", "b.csv": "query,y,grade,x,z\n7,40,1,30,0\n",
		"c.csv": "grade,query,x\n1,1,1\n",
	})
	var got, loaded []string
	read := func(ctx context.Context, name string, src dataset.Source) (*dataset.Meta, error) {
		sum := 0.0
		meta, err := dataset.Scan(ctx, src, nil, func(_ int, row dataset.Row) error {
			for i, f := range row.Feature {
				sum += row.Value[i] * math.Pow(10, -float64(f))
			}
			return nil
		})
		got = append(got, fmt.Sprintf("%s %.3f", name, sum))
		return meta, err
	}
	o := LoadOptions{Layout: ofTable, Workers: 1, Loaded: func(s *Set) {
		loaded = append(loaded, fmt.Sprint(s.Name, " ", s.Meta.NumRows(), " ", s.Bins == nil))
	}}
	require.NoError(t, Each(ctx, o, path("a.csv"), []string{path("b.csv")}, read))
	assert.Equal(t, []string{"training 4.450", "valid_1 34.000"}, got)
	assert.Equal(t, []string{"training 2 true", "valid_1 1 true"}, loaded)
	err := Each(ctx, o, path("a.csv"), []string{path("c.csv")}, read)
	assert.ErrorIs(t, err, table.ErrNoFeature)
}

// TestLayoutsParameters: every field of a Layout has a parameter.
func TestLayoutsParameters(t *testing.T) {
	l := DefaultLayout()
	require.NoError(t, l.check())
	require.NoError(t, Layout{}.check())
	var names []string
	for _, p := range l.Table() {
		require.NoError(t, p.Value.Set("1"))
		names = append(names, p.Name)
	}
	assert.Equal(t, Layout{Format: "1", FeatureBase: 1, Names: "1", Header: "1", Label: "1", Query: "1",
		Weight: "1", Labels: "1", Position: "1", Document: "1", Ignore: "1"}, l)
	assert.True(t, slices.Contains(names, "label_column"))
}

// store stores a set as binned data at path.
func store(t testing.TB, path string, l *Loader, s *Set) {
	t.Helper()
	require.NoError(t, stream.WriteFile(path, func(w io.Writer) error { return l.Store(w, s) }))
}

// TestFilesThatChangeWhileTheyAreRead: in every format, a file that was modified since it was opened is an
// error, whether it became longer or shorter.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	parquet, err := os.ReadFile("internal/table/testdata/plain.parquet")
	require.NoError(t, err)
	scored := Layout{Label: "name:target", Query: "name:query", Ignore: "name:note"}
	letor := asLETOR
	forms := map[string]struct {
		content string
		layout  Layout
	}{
		"a.txt": {letor, Layout{}}, "a.txt.gz": {zipped(t, letor), Layout{}}, "a.csv": {asCSV, ofTable},
		"a.csv.gz":  {zipped(t, asCSV), ofTable},
		"a.parquet": {string(parquet), scored}, "parts/part-0.parquet": {string(parquet), scored},
		"parts/part-0.csv": {asCSV, ofTable},
	}
	for name, c := range forms {
		for _, longer := range []int64{-20, 20} {
			path := folder(t, map[string]string{name: c.content})(name)
			opened := path
			if strings.HasPrefix(name, "parts/") {
				opened = strings.TrimSuffix(path, name[len("parts"):])
			}
			f, err := Open(opened, Options{Layout: c.layout})
			require.NoError(t, err, name)
			require.NoError(t, os.Truncate(path, int64(len(c.content))+longer))
			err = dataset.Stream(ctx, f, func(int, *dataset.Block) error { return nil },
				func(*dataset.Block) error { return nil })
			assert.ErrorIs(t, err, dataset.ErrChanged, "%s, %d bytes more", name, longer)
			assert.ErrorContains(t, err, path, name)
			require.NoError(t, f.Close())
		}
	}
}

// TestCompanionsOfBinnedData: files beside binned data would be ignored, so they are errors.
func TestCompanionsOfBinnedData(t *testing.T) {
	for _, ending := range append(Companions(""), ".label.buy", ".weight.gz", ".init.zst") {
		path := folder(t, map[string]string{"a.txt": asLETOR})
		loaded, err := loadFiles(t.Context(), binParams, LoadOptions{}, path("a.txt"))
		require.NoError(t, err)
		bin := path("a.bin")
		store(t, bin, loaded.loader, loaded.Training)
		require.NoError(t, loaded.Close())
		loaded, err = loadFiles(t.Context(), binParams, LoadOptions{}, bin)
		require.NoError(t, err)
		require.NoError(t, loaded.Close())
		require.NoError(t, stream.WriteFile(bin+ending, func(w io.Writer) error { return nil }))
		_, err = loadFiles(t.Context(), binParams, LoadOptions{}, bin)
		assert.ErrorIs(t, err, ErrStoredCompanion)
		assert.ErrorContains(t, err, "a.bin"+ending)
	}
}

// TestCompanionsNamedAsCompressedFiles: a file beside the data that is a companion but for its name is an
// error that says how to name it.
func TestCompanionsNamedAsCompressedFiles(t *testing.T) {
	for name, data := range map[string]string{
		"a.txt.weight.gz": "a.txt", "a.txt.init.zst": "a.txt", "a.txt.base_margin.gz": "a.txt",
		"a.txt.position.gz": "a.txt", "b.txt.query.gz": "b.txt", "b.txt.group.zst": "b.txt",
		"a.txt.label.buy.gz": "a.txt", "z.txt.weight": "z.txt.gz", "z.txt.init.gz": "z.txt.gz",
		"z.txt.weight.zst": "z.txt.zst",
	} {
		files := map[string]string{data: asLETOR, name: "1\n"}
		if data == "b.txt" {
			files[data] = "1 1:2\n0 1:3\n"
		}
		path := folder(t, files)
		o := LoadOptions{Layout: Layout{Labels: "grade,buy"}}
		_, err := loadFiles(t.Context(), binParams, o, path(data))
		assert.ErrorIs(t, err, rows.ErrMisnamed, name)
		assert.ErrorContains(t, err, name+": ")
	}
	path := folder(t, map[string]string{"z.txt": asLETOR, "z.txt.gz": asLETOR, "z.txt.weight": "no number"})
	_, err := loadFiles(t.Context(), binParams, LoadOptions{}, path("z.txt.gz"))
	assert.NoError(t, err, "the companion of another file is none of this one")
}

// TestCompanionsOfXGBoost: .group and .base_margin are read as .query and .init. Both names are an error.
func TestCompanionsOfXGBoost(t *testing.T) {
	files := map[string]string{"a.txt": "1 1:2\n0 1:3\n1 1:1\n", "a.txt.group": "2\n1\n",
		"a.txt.base_margin": "0.5\n1\n2\n", "b.csv": "1,2\n0,3\n1,1\n", "b.csv.group": "2\n1\n"}
	path := folder(t, files)
	loaded, err := loadFiles(t.Context(), binParams, LoadOptions{}, path("a.txt"))
	require.NoError(t, err)
	assert.Equal(t, []dataset.Query{{ID: "0", Len: 2}, {ID: "1", First: 2, Len: 1}},
		loaded.Training.Meta.Queries)
	assert.Equal(t, []float64{.5, 1, 2}, loaded.Training.Meta.InitialScores)
	loaded, err = loadFiles(t.Context(), binParams, LoadOptions{}, path("b.csv"))
	require.NoError(t, err)
	assert.Len(t, loaded.Training.Meta.Queries, 2)
	for _, both := range []string{"a.txt.query", "a.txt.init"} {
		files[both] = "3\n"
		_, err := loadFiles(t.Context(), binParams, LoadOptions{}, folder(t, files)("a.txt"))
		assert.ErrorIs(t, err, rows.ErrTwo, both)
		delete(files, both)
	}
	files["a.txt.group"] = "2\n"
	_, err = loadFiles(t.Context(), binParams, LoadOptions{}, folder(t, files)("a.txt"))
	assert.ErrorContains(t, err, "a.txt.group: the numbers of rows")
}
