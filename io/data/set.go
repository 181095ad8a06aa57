package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// mostListed is the number of features that a remark names.
const mostListed = 5

// TrainingSet is the name of the training data in messages.
const TrainingSet = "training"

// ValidationSet returns the name of validation set number i, from 0, in messages: "valid_1",
// "valid_2", …, LightGBM's names.
func ValidationSet(i int) string { return fmt.Sprintf("valid_%d", i+1) }

// Bins are the bins of the rows of a set, on which package booster trains, and BinParams say how they are
// found; booster.Params.BinParams returns them.
type (
	Bins      = histogram.Matrix
	BinParams = histogram.BinParams
)

// Set is data that has been loaded.
type Set struct {
	Name string // TrainingSet, ValidationSet(i) or the caller's
	Path string // as given; empty for data from memory
	Meta *dataset.Meta
	Bins *Bins // as many rows as Meta; nil where values were not binned ([Each])

	// NotFeatures are the numbers of the columns that are no features in the first set: query ids, for example.
	NotFeatures []int

	// Stored means that the file held bins already: Bins is its mapping into memory, which is valid
	// until the Loader or Loaded is closed, or is in memory if several peers have stored it.
	Stored bool

	// Reading is the time that it took to read the data and to find bins in it, or to open and
	// verify binned data; Binning is the time that it took to bin it. If a set is read and
	// binned in one pass, all of its time is Binning.
	Reading, Binning time.Duration

	Remarks []Remark // what a user should know about the set, in the order in which it was noticed
}

// Remark is something about a set that a user should know.
type Remark struct {
	Text      string // one sentence, which names the set or its file
	IsWarning bool   // the user probably did not intend it; otherwise it is a note
	OfFile    bool   // it is about the file and its columns rather than the values
}

// noteColumns adds what was guessed about the columns of a file.
func (s *Set) noteColumns(f *File) {
	for _, text := range f.Remarks {
		s.remark(Remark{OfFile: true}, "%s", text)
	}
}

// remark adds r with a text.
func (s *Set) remark(r Remark, format string, args ...any) {
	r.Text = fmt.Sprintf(format, args...)
	s.Remarks = append(s.Remarks, r)
}

// called returns the name of the set in messages: its file, or its Name.
func (s *Set) called() string {
	if s.Path == "" {
		return s.Name
	}
	return s.Path
}

// describe adds the remarks that are due once a set is complete.
func (s *Set) describe(missing histogram.Missing) {
	for _, text := range s.Meta.Remarks {
		s.remark(Remark{IsWarning: true}, "%s", text)
	}
	if s.Meta.InitialScores != nil {
		where := "its initial scores"
		if s.Path != "" {
			where = "those of " + filepath.Clean(s.Path) + ".init"
		}
		s.remark(Remark{}, "%s: scores begin at %s, which are not part of the model: add them to its scores",
			s.Name, where)
	}
	if s.Bins == nil {
		return
	}
	s.describeCategories()
	if missing != histogram.MissingNaN {
		return
	}
	if features := s.missingIsZero(); len(features) > 0 {
		s.remark(Remark{IsWarning: true}, "%s: NaN counts as 0 in features that had none where bins were found: %s",
			s.called(), wording.List(features, mostListed))
	}
}

// describeCategories adds a warning for each feature of which only categories without a bin occur. It is a
// collective.
func (s *Set) describeCategories() {
	g := s.Meta.Part.Group()
	for c, f := range s.Bins.Columns {
		bins := s.Bins.Bins(int32(c))
		if !bins.IsCategorical() {
			continue
		}
		cells := g.SumOf(s.Bins.NumRows() - int(s.Bins.NaNs[f]))
		if known := g.Any(s.hasCategory(int32(c))); !known && cells >= provenance.LeastUnknown {
			s.remark(Remark{IsWarning: true}, "%s: column %s: the training data has bins for none of its categories "+
				"(%s; it has them for %s), so that splits send all documents the same way: give categories the numbers "+
				"that they have there", s.called(), s.Meta.Features[f], wording.Count(cells, "cell"),
				provenance.FewOf(bins.Categories))
		}
	}
}

// hasCategory reports whether a row has a category with a bin.
func (s *Set) hasCategory(column int32) bool {
	for row := range s.Bins.NumRows() {
		if s.Bins.At(int32(row), column) > 0 {
			return true
		}
	}
	return false
}

// missingIsZero returns the names of the features that have NaN but no bin for it, and yet can split.
func (s *Set) missingIsZero() []string {
	var names []string
	for f, n := range s.Bins.NaNs {
		if column := s.Bins.ColumnOf[int32(f)]; n > 0 && column >= 0 && s.Bins.MissingBins[column] < 0 &&
			!s.Bins.Bins(column).IsCategorical() {
			names = append(names, fmt.Sprintf("%s (%s)", s.Meta.Features[f], wording.Count(n, "row")))
		}
	}
	return names
}

// Narrow returns the data with all features constant, so that no tree uses them, except those with the given
// numbers. It shares everything but the bins with l, which is the one to close.
func (l *Loaded) Narrow(features []int) *Loaded {
	keep := func(feature int) bool { return slices.Contains(features, feature) }
	narrow, whole := *l, l.Training.Bins.Mapper
	mapper := whole.Narrow(len(whole.Features), keep)
	of := func(s *Set) *Set {
		one := *s
		one.Bins, one.Stored = s.Bins.Narrow(mapper), false
		return &one
	}
	narrow.Training, narrow.Validation = of(l.Training), nil
	for _, s := range l.Validation {
		narrow.Validation = append(narrow.Validation, of(s))
	}
	return &narrow
}
