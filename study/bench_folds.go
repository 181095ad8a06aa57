package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
)

// Split is a fold: its files and, after a comparison, what is known about its test file.
type Split struct {
	Name              string
	Train, Vali, Test string // files

	Queries, Documents int // of Test
	Leaked             int // queries of Test whose id also occurs in Train
}

// ErrNoData is wrapped by the error for a folder without a split.
var ErrNoData = errors.New("no data to compare rankers on")

// foldFolder matches the names of folders that are folds.
var foldFolder = regexp.MustCompile(`^(?i:fold)[-_ ]?([0-9]+)$`)

// findSplits returns the split that a folder holds, or the splits of its folders Fold1, Fold2, ..., in
// the order of their numbers.
func findSplits(folder string) ([]Split, error) {
	entries, err := os.ReadDir(folder)
	if info, failed := os.Stat(folder); failed == nil && !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is a file; give a folder with the files train, vali and test, or with "+
			"folders Fold1, Fold2, …", ErrNoData, folder)
	}
	if err != nil {
		return nil, err
	}
	own, found, err := splitIn(folder, entries)
	if err != nil {
		return nil, err
	}
	folds := foldsAmong(entries)
	switch {
	case found && len(folds) > 0:
		return nil, fmt.Errorf("%s: has both files of a split and folders of folds; name one of them as data",
			folder)
	case found:
		return []Split{own}, nil
	case len(folds) == 0:
		return nil, fmt.Errorf("%w: %s has neither the files train, vali and test nor folders Fold1, Fold2, …",
			ErrNoData, folder)
	}
	return splitsOfFolds(folder, folds)
}

// splitsOfFolds returns the splits that folders of a folder hold, each of them one.
func splitsOfFolds(folder string, names []string) ([]Split, error) {
	var splits []Split
	for _, name := range names {
		path := filepath.Join(folder, name)
		inside, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		s, found, err := splitIn(path, inside)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("%w: %s lacks the files train, vali and test", ErrNoData, path)
		}
		splits = append(splits, s)
	}
	return splits, nil
}

func foldsAmong(entries []os.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if e.IsDir() && foldFolder.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(foldFolder.FindStringSubmatch(name)[1])
		return n
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
	})
	return names
}

// splitFiles lists the files of a split, each with the names that it may have.
var splitFiles = [][]string{{"train"}, {"vali", "valid", "validation"}, {"test"}}

// splitIn finds a split among the entries of a folder. found is false if the folder has none of the files of
// a split.
func splitIn(folder string, entries []os.DirEntry) (s Split, found bool, err error) {
	var paths [3]string
	for i, names := range splitFiles {
		for _, e := range entries {
			stem, rest, _ := strings.Cut(e.Name(), ".")
			if e.IsDir() && !strings.HasSuffix(rest, "parquet") || !slices.Contains(names, stem) || isCompanion(rest) {
				continue
			}
			if paths[i] != "" {
				return s, false, fmt.Errorf("%s: both %s and %s could be meant; keep one", folder,
					filepath.Base(paths[i]), e.Name())
			}
			paths[i], found = filepath.Join(folder, e.Name()), true
		}
	}
	if !found {
		return s, false, nil
	}
	for i, path := range paths {
		if path == "" {
			return s, false, fmt.Errorf("%w: %s has no file %s", ErrNoData, folder, splitFiles[i][0])
		}
	}
	absolute, err := filepath.Abs(folder)
	return Split{Name: filepath.Base(absolute), Train: paths[0], Vali: paths[1], Test: paths[2]}, true, err
}

// isCompanion reports whether a file with this ending is a companion, or has no feature values.
func isCompanion(ending string) bool {
	for _, companion := range append([]string{".bin"}, data.Companions("")...) {
		if strings.HasSuffix("."+ending, companion) {
			return true
		}
	}
	return strings.Contains("."+ending, ".label.")
}

// openFile opens a data file, and reports remarks about it. like describes the training data, whose features
// the other files must have; it is nil for the training data itself.
func (e *experiment) openFile(path string, like *dataset.Meta) (dataset.File, error) {
	o := e.options.Files
	if like != nil {
		o.Features = &dataset.Features{Names: like.Features, Label: like.LabelColumn, OfTraining: true}
	}
	f, err := data.Open(path, o)
	if err != nil {
		return nil, err
	}
	for _, remark := range f.Remarks {
		e.log.Info(remark)
	}
	return f, nil
}

// readingKey describes how data is read, for the key of a training run. If its text changes, kept training
// runs are done again.
func readingKey(l *data.Layout) string {
	return fmt.Sprintf("feature_base=%d {format:%s header:%s label:%s query:%s weight:%s labels:%s "+
		"position:%s ignore:%s}", l.FeatureBase, l.Format, l.Header, l.Label, l.Query, l.Weight, l.Labels,
		l.Position, l.Ignore)
}

// splitData is the data of a split. Each form of the data is read when it is first needed.
type splitData struct {
	Split
	open  func(path string, like *dataset.Meta) (dataset.File, error)
	train *dataset.Meta // of the training data; nil until it has been read

	bins   *binnedSplit      // for trees
	values []nnbaseline.Data // for networks: training and validation data
	judged *testData
}

// each opens the training data and then the validation data, and calls read for both, which returns the
// description of the data without query context.
func (f *splitData) each(read func(name string, src dataset.File) (*dataset.Meta, error)) error {
	var train *dataset.Meta
	for i, path := range []string{f.Train, f.Vali} {
		src, err := f.open(path, train)
		if err != nil {
			return err
		}
		meta, err := read(splitFiles[i][0], src)
		src.Close()
		if err != nil {
			return err
		}
		if train != nil {
			continue
		}
		if train = meta; meta.InitialScores != nil {
			return fmt.Errorf("%s.init: rankers are compared from the beginning, so that scores begin at 0; "+
				"take the file away", f.Train)
		}
	}
	f.train = train
	return nil
}

// binnedSplit is data for trees. A fold keeps only the bins of the latest parameters.
type binnedSplit struct {
	params histogram.BinParams
	asked  data.LoadOptions // query context that was requested
	sets   []booster.Data   // training and validation data
}

// bin returns binned training and validation data, with the query context that the parameters request.
func (f *splitData) bin(ctx context.Context, of *booster.Params) (*binnedSplit, error) {
	b := &binnedSplit{params: of.BinParams(), asked: data.LoadOptions{QueryContext: of.QueryContext,
		QueryContextFeatures: of.QueryContextFeatures}}
	if f.bins != nil && f.train.NumRows() <= b.params.SampleCount {
		b.params.Seed = f.bins.params.Seed // all rows are used to find bins, so the seed does not matter
	}
	if f.bins != nil && f.bins.params == b.params && reflect.DeepEqual(f.bins.asked, b.asked) {
		return f.bins, nil
	}
	f.bins = nil // frees the memory before the next bins are made
	loader := data.NewLoader(b.params, b.asked)
	err := f.each(func(name string, src dataset.File) (_ *dataset.Meta, err error) {
		var s *data.Set
		if len(b.sets) == 0 {
			s, err = loader.Training(ctx, data.Input{Source: src})
		} else {
			s, err = loader.Add(ctx, name, data.Input{Source: src})
		}
		if err != nil {
			return nil, err
		}
		b.sets = append(b.sets, booster.Data{Name: name, Meta: s.Meta, Values: s.Bins})
		return withoutContext(s.Meta), nil
	})
	if err != nil {
		return nil, err
	}
	f.bins = b
	return b, nil
}

// read returns training and validation data with their values in memory.
func (f *splitData) read(ctx context.Context) ([]nnbaseline.Data, error) {
	if f.values != nil {
		return f.values, nil
	}
	var sets []nnbaseline.Data
	err := f.each(func(name string, src dataset.File) (*dataset.Meta, error) {
		set, err := nnbaseline.Read(ctx, name, src)
		sets = append(sets, set)
		return set.Meta, err
	})
	if err == nil {
		f.values = sets
	}
	return f.values, err
}

// withoutContext returns the description of data without its query context.
func withoutContext(m *dataset.Meta) *dataset.Meta {
	if m.Context == nil {
		return m
	}
	raw := *m
	raw.Features, raw.Context = m.Features[:m.Context.Raw], nil
	return &raw
}

// testData is the test queries, with all features in memory.
type testData struct {
	meta     *dataset.Meta
	features int       // columns of the training data, which are the features of models
	values   []float64 // rows × features, row-major
	leaked   int       // queries that were trained on
}

// test returns the test queries. The training data must have been read before.
func (f *splitData) test(ctx context.Context) (*testData, error) {
	if f.judged != nil {
		return f.judged, nil
	}
	src, err := f.open(f.Test, f.train)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	d := &testData{features: f.train.NumFeatures()}
	if d.meta, d.values, err = readDense(ctx, src, d.features); err != nil {
		return nil, err
	}
	d.leaked = sharedIDs(f.train, d.meta)
	f.judged = d
	return d, nil
}

// readDense reads all rows with the given number of features. Absent features are zero, and features beyond
// that number are dropped.
func readDense(ctx context.Context, src dataset.Source, features int) (*dataset.Meta, []float64, error) {
	meta, err := dataset.Describe(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	err = limits.Check(8*meta.NumRows()*features, "keeping the features of the test documents",
		"fewer features or test documents need less")
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, meta.NumRows()*features)
	_, err = dataset.Scan(ctx, src, nil, func(_ int, row dataset.Row) error {
		if row.Number >= meta.NumRows() {
			return fmt.Errorf("there are more rows than at first")
		}
		dense := values[row.Number*features:][:features]
		for i, number := range row.Feature {
			if int(number) < features {
				dense[number] = row.Value[i]
			}
		}
		return nil
	})
	return meta, values, err
}
