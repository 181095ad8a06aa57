package data

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/io/data/binned"
)

// BinningError says that data was binned with other parameters than the caller wants, or than the
// first set of the training has.
type BinningError struct {
	Path   string
	Wanted string // "max_bin=63"
	Stored string // "max_bin=255"
	Many   bool   // several parameters are meant
}

func (e *BinningError) Error() string {
	parameters := "the parameter"
	if e.Many {
		parameters = "the parameters"
	}
	return fmt.Sprintf("%s: %s was binned with %s; leave %s out, or bin the text again", e.Wanted, e.Path, e.Stored, parameters)
}

// Reference makes the bins, the names of the features and the parameters of a file of binned data
// those of all sets that are added. It is called instead of Training.
func (l *Loader) Reference(path string) error {
	f, err := l.openBinned(path)
	if err != nil {
		return err
	}
	l.mapper, l.names, l.context = f.Bins.Mapper, f.Meta.Features, f.Meta.Context
	l.dictionaries = f.Meta.Dictionaries
	return f.Close()
}

// mapFile maps binned data. The first set brings the bins.
func (l *Loader) mapFile(s *Set) (*Set, error) {
	start, first := time.Now(), l.mapper == nil
	if l.opts.Begin != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, ErrBinnedBeginning)
	}
	f, err := l.openBinned(s.Path)
	if err != nil {
		return nil, err
	}
	if first {
		l.names, l.dictionaries = f.Meta.Features, f.Meta.Dictionaries
		s.noteSeed(f, l.params.Seed)
	}
	l.files, l.mapper = append(l.files, f), f.Bins.Mapper
	s.Meta, s.Bins, s.Stored, s.Reading = f.Meta, f.Bins, true, time.Since(start)
	if l.shared() {
		s.divide(l.opts.Ranks)
	}
	return l.complete(context.Background(), s, nil)
}

// noteSeed remarks that the seed of a training is not the one that chose the rows in which bins
// were found.
func (s *Set) noteSeed(f *binned.File, seed uint64) {
	if f.Params.Seed != seed && f.Meta.NumRows() > f.Params.SampleCount {
		s.remark(OtherSeed, "%s: the rows from which its bins were found were drawn with seed=%d; seed=%d decides all other draws", s.Path, f.Params.Seed, seed)
	}
}

// openBinned opens binned data. It must have the bins of the first set; if there is none yet, the
// parameters that it was binned with become the loader's.
func (l *Loader) openBinned(path string) (*binned.File, error) {
	f, err := binned.Open(path, binned.Options{Mapper: l.mapper, Workers: l.opts.Workers})
	if err != nil {
		return nil, err
	}
	if err := l.adopt(path, f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// adopt makes the parameters with which a file was binned the loader's. One that was given another
// value is an error, and so is any other value if the file is not the first set.
func (l *Loader) adopt(path string, f *binned.File) error {
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
			return &BinningError{Path: path, Wanted: fmt.Sprintf("%s=%d", p.name, *p.dst), Stored: fmt.Sprintf("%s=%d", p.name, p.stored)}
		}
		*p.dst = p.stored
	}
	if given := l.params.MaxBinByFeature; given != "" && l.mapper == nil {
		return &BinningError{Path: path, Wanted: "max_bin_by_feature=" + given, Stored: "bins of its own; give the list to lambdamart bin"}
	}
	if given := l.params.ForcedBinsFilename; given != "" && l.mapper == nil {
		return &BinningError{Path: path, Wanted: "forcedbins_filename=" + given, Stored: "bins of its own; give the file to lambdamart bin"}
	}
	if l.params.Missing != f.Params.Missing && (l.insistsOn("use_missing") || l.insistsOn("zero_as_missing")) {
		return &BinningError{Path: path, Wanted: switches(l.params.Missing), Stored: switches(f.Params.Missing), Many: true}
	}
	l.params.Missing = f.Params.Missing
	if err := l.adoptCategories(path, f); err != nil {
		return err
	}
	return l.adoptContext(path, f.Meta)
}

// adoptCategories makes the categorical features of a file the loader's, as adopt does.
func (l *Loader) adoptCategories(path string, f *binned.File) error {
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
			return &BinningError{Path: path, Wanted: "categorical_feature=" + l.params.Categorical, Stored: "categorical_feature=" + stored}
		}
	}
	l.params.Categorical = f.Params.Categorical
	return nil
}

// insistsOn reports whether a parameter has a value that must stay: it was given one, or there is a
// set with it.
func (l *Loader) insistsOn(parameter string) bool {
	return l.mapper != nil || slices.Contains(l.opts.Given, parameter)
}

// switches writes the two parameters that say what is missing.
func switches(m histogram.Missing) string {
	return fmt.Sprintf("use_missing=%t zero_as_missing=%t", m != histogram.MissingNone, m == histogram.MissingZero)
}

// Binned returns a set in the form that is stored ([binned.Set.WriteFile]). Its features have the
// names that they have in the first set.
func (l *Loader) Binned(s *Set) *binned.Set {
	meta := *s.Meta
	meta.Features = l.names
	return &binned.Set{Meta: &meta, Bins: s.Bins, Params: l.params, FeatureBase: l.opts.FeatureBase}
}
