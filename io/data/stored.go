package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/binned"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// ErrBinning means that data was binned with other parameters than the caller wants, or than the first set of
// the training run has. The error that wraps it names them.
var ErrBinning = errors.New("binned with other parameters")

type binningError struct {
	Path   string
	Wanted string // "max_bin=63"
	Stored string // "max_bin=255"
	Many   bool   // several parameters are meant
}

// Is makes the error an [ErrBinning].
func (e *binningError) Is(target error) bool { return target == ErrBinning }

func (e *binningError) Error() string {
	parameters := "the parameter"
	if e.Many {
		parameters = "the parameters"
	}
	return fmt.Sprintf("%s: %s was binned with %s; leave %s out, or bin the data again", e.Wanted, e.Path,
		e.Stored, parameters)
}

// Reference gives all sets that are added the bins, the names of the features and the parameters of a file of
// binned data. It is called instead of Training.
func (l *Loader) Reference(path string) error {
	f, err := binned.Open(path, binned.Options{Workers: l.opts.Workers})
	if err != nil {
		return err
	}
	defer f.Close()
	if err := l.adopt(path, &f.Set); err != nil {
		return err
	}
	l.mapper, l.columns = f.Bins.Mapper, columnsOf(f.Meta)
	return nil
}

// mapFile maps binned data. The first set determines the bins.
func (l *Loader) mapFile(s *Set) (*Set, error) {
	start := time.Now()
	l.stored = cmp.Or(l.stored, s.Path)
	if l.opts.InitialModel != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, ErrBinnedBeginning)
	}
	if err := refuseCompanions(s.Path); err != nil {
		return nil, err
	}
	stored, err := l.openStored(s.Path)
	if err != nil {
		return nil, err
	}
	if err := l.take(s, stored); err != nil {
		return nil, err
	}
	s.Reading = time.Since(start)
	return l.complete(context.Background(), s, nil)
}

// ErrStoredCompanion means that a file is beside binned data that would be read with text.
var ErrStoredCompanion = errors.New("binned data has what was beside the text when it was binned, and no " +
	"file beside it is read; put the file beside the text and bin that again, or remove it")

// refuseCompanions returns an error if binned data has companions, as people write them for text.
func refuseCompanions(path string) error {
	path = filepath.Clean(path)
	for _, ending := range rows.Endings(path) {
		for _, compressed := range append(rows.Compressed, "") {
			companion := path + ending + compressed
			if _, err := os.Lstat(companion); err == nil {
				return &dataset.Error{Path: companion, Err: ErrStoredCompanion}
			}
		}
	}
	return nil
}

// noteSeed remarks that the seed of a training run is not the one that chose the rows in which bins
// were found.
func (s *Set) noteSeed(f *binned.Set, seed uint64) {
	if f.Params.Seed != seed && f.Meta.AllRows() > f.Params.SampleCount {
		s.remark(Remark{OfFile: true}, "%s: the rows from which its bins were found were drawn with seed=%d; "+
			"seed=%d decides all other draws", s.Path, f.Params.Seed, seed)
	}
}

// openStored opens binned data, which must have the bins of the first set, and which all peers must see.
func (l *Loader) openStored(path string) (*binned.Set, error) {
	f, err := binned.Open(path, binned.Options{Mapper: l.mapper, Workers: l.opts.Workers})
	if err != nil {
		return nil, err
	}
	l.files = append(l.files, f)
	if !l.opts.Peers.Same([]int64{int64(f.Checksum())}) {
		return nil, fmt.Errorf("%s: %w", path, ErrUnequal)
	}
	return &f.Set, nil
}

// take makes stored data the content of a set, of which each peer takes its part. The first set determines
// the bins, and the parameters that it was binned with become the loader's.
func (l *Loader) take(s *Set, stored *binned.Set) error {
	first := l.mapper == nil
	if err := l.adopt(s.Path, stored); err != nil {
		return err
	}
	s.Meta, s.Bins, s.Stored = stored.Meta, stored.Bins, true
	if stored.FeatureBase == 1 {
		s.Meta.Numbering = dataset.FromOne
	}
	s.Meta.Numbered = s.Meta.Numbering != dataset.Unnumbered || beginsEmpty(stored)
	if first {
		l.columns = columnsOf(stored.Meta)
		s.noteSeed(stored, l.params.Seed)
	}
	l.mapper = stored.Bins.Mapper
	if l.opts.Peers.Size() > 1 {
		s.divide(l.opts.Peers)
	}
	return nil
}

// beginsEmpty reports whether column 0 looks like that of LETOR text without feature 0. The file does not
// tell what it was made of.
func beginsEmpty(stored *binned.Set) bool {
	names, m := stored.Meta.Features, stored.Bins.Mapper
	return len(names) > 0 && names[0] == wording.ColumnNames(1)[0] && m.Features[0].Constant()
}

// divide replaces stored data by this peer's part of it. Each peer has about as many rows.
func (s *Set) divide(g peers.Group) {
	begin := func(rank int) int {
		first := s.Meta.NumRows() * rank / g.Size()
		query, _ := slices.BinarySearchFunc(s.Meta.Queries, first, func(q dataset.Query, row int) int {
			return q.First - row
		})
		return query
	}
	meta := dataset.PartOf(s.Meta, g, begin(g.Rank()), begin(g.Rank()+1))
	row := meta.Part.FirstRow
	s.Meta, s.Bins = meta, s.Bins.Rows(row, row+meta.NumRows())
}

// adopt replaces the loader's parameters by those with which a file was binned. It is an error if another
// value was given for one of them or, if the file is not the first set, if any of them differs.
func (l *Loader) adopt(path string, f *binned.Set) error {
	fixed := []struct {
		name   string
		dst    *int
		stored int
	}{
		{"max_bin", &l.params.MaxBin, f.Params.MaxBin},
		{"min_data_in_bin", &l.params.MinDataInBin, f.Params.MinDataInBin},
		{"bin_construct_sample_cnt", &l.params.SampleCount, f.Params.SampleCount},
		{"feature_base", &l.opts.FeatureBase, f.FeatureBase},
	}
	for _, p := range fixed {
		if *p.dst != p.stored && l.insistsOn(p.name) {
			return &binningError{Path: path, Wanted: fmt.Sprintf("%s=%d", p.name, *p.dst),
				Stored: fmt.Sprintf("%s=%d", p.name, p.stored)}
		}
		*p.dst = p.stored
	}
	if given := l.params.MaxBinByFeature; given != "" && l.mapper == nil {
		return &binningError{Path: path, Wanted: "max_bin_by_feature=" + given,
			Stored: "a number of bins for each feature, which cannot change"}
	}
	if !l.params.Sparse && f.Params.Sparse && l.insistsOn("is_enable_sparse") {
		return &binningError{Path: path, Wanted: "is_enable_sparse=false", Stored: "sparse columns"}
	}
	if l.params.Missing != f.Params.Missing && (l.insistsOn("use_missing") || l.insistsOn("zero_as_missing")) {
		return &binningError{Path: path, Wanted: switches(l.params.Missing), Stored: switches(f.Params.Missing),
			Many: true}
	}
	l.params.Missing = f.Params.Missing
	if err := l.adoptCategories(path, f); err != nil {
		return err
	}
	return l.checkContext(path, f.Meta)
}

// adoptCategories makes the categorical features of a file the loader's, as adopt does.
func (l *Loader) adoptCategories(path string, f *binned.Set) error {
	if stored := f.Params.Categorical; l.mapper == nil && l.insistsOn("categorical_feature") {
		asked, err := histogram.CategoricalFeatures(l.params.Categorical, f.Meta.Features)
		if err != nil {
			return err
		}
		have, err := histogram.CategoricalFeatures(stored, f.Meta.Features)
		if err != nil {
			return err
		}
		if !slices.Equal(asked, have) {
			return &binningError{Path: path, Wanted: "categorical_feature=" + l.params.Categorical,
				Stored: "categorical_feature=" + stored}
		}
	}
	l.params.Categorical = f.Params.Categorical
	return nil
}

// insistsOn reports whether the value of a parameter must not change, because it was given or because a set
// was loaded with it.
func (l *Loader) insistsOn(parameter string) bool {
	return l.mapper != nil || slices.Contains(l.opts.Given, parameter)
}

// switches writes the two parameters that determine which values are missing.
func switches(m histogram.Missing) string {
	return fmt.Sprintf("use_missing=%t zero_as_missing=%t", m != histogram.MissingNone,
		m == histogram.MissingZero)
}

// errPart means that Loader.Store was given one of several parts.
var errPart = errors.New("Loader.Store stores all rows of a set, in one process; this set is the part of " +
	"one of several")

// Store writes a set as binned data. Features have the names that they have in the first set.
func (l *Loader) Store(w io.Writer, s *Set) error {
	if s.Meta.Part != nil {
		return errPart
	}
	meta := *s.Meta
	meta.Features = l.columns.Features
	b := &binned.Set{Meta: &meta, Bins: s.Bins, Params: l.params, FeatureBase: l.opts.FeatureBase}
	return b.Write(w)
}
