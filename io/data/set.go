package data

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
)

// TrainingSet is the name of the training data in messages.
const TrainingSet = "training"

// ValidationSet returns the name of validation set number i, from 0, in messages: "valid_1",
// "valid_2", …, LightGBM's names.
func ValidationSet(i int) string { return fmt.Sprintf("valid_%d", i+1) }

// Set is data that has been loaded.
type Set struct {
	Name string // TrainingSet, ValidationSet(i) or the caller's
	Path string // as given; empty for data from memory
	Meta *dataset.Meta
	Bins *histogram.Matrix // as many rows as Meta; nil where values were not binned ([Each])

	// Stored says that the file held bins already: Bins is its mapping into memory, which is valid
	// until the Loader or Loaded is closed, or is in memory if several peers have stored it.
	Stored bool

	// Reading is the time that it took to read the data and to find bins in it, or to open and
	// verify binned data; Binning is the time that it took to bin it. Where a set is read and
	// binned at once, all of it is Binning.
	Reading, Binning time.Duration

	Remarks []Remark // what a user should know about the set, in the order in which it was noticed
}

// Remark is something about a set that a user should know.
type Remark struct {
	Kind Kind
	Text string // one sentence, which names the set or its file
}

// Kind is a kind of remark.
type Kind int

const (
	// OtherSeed: the rows in which bins were found were drawn with another seed than the run has.
	OtherSeed Kind = iota + 1
	// MoreFeatures: the set has features that the training data lacks. They are ignored.
	MoreFeatures
	// FewerFeatures: a set from memory lacks features of the training data. They are zero.
	FewerFeatures
	// FromSource: what the reader noticed, dataset.Meta.Remarks.
	FromSource
	// InitialScores: training begins at scores that are not part of the model.
	InitialScores
	// ConstantInModel: the model that training continues from uses features that do not vary.
	ConstantInModel
	// ContextChosen: which query context was chosen, and why.
	ContextChosen
	// FromCategories: values of categorical features that are cut, missing or share a bin.
	FromCategories
	// MissingIsZero: features have missing values that count as 0, since there were none where bins
	// were found.
	MissingIsZero
	// ColumnGuessed: what a column of a table was taken for.
	ColumnGuessed
)

// IsWarning reports whether the remark is about something that the user probably did not intend, rather than
// a note.
func (k Kind) IsWarning() bool {
	return k != OtherSeed && k != InitialScores && k != ContextChosen && k != ColumnGuessed
}

// noteColumns adds what was guessed about the columns of a file.
func (s *Set) noteColumns(f *File) {
	for _, text := range f.Remarks {
		s.remark(ColumnGuessed, "%s", text)
	}
}

func (s *Set) remark(kind Kind, format string, args ...any) {
	s.Remarks = append(s.Remarks, Remark{kind, fmt.Sprintf(format, args...)})
}

// called returns what messages call the set by: its file, or its name.
func (s *Set) called() string {
	if s.Path == "" {
		return s.Name
	}
	return s.Path
}

// describe adds the remarks that are due once a set is complete.
func (s *Set) describe(missing histogram.Missing) {
	for _, text := range s.Meta.Remarks {
		s.remark(FromSource, "%s", text)
	}
	if s.Meta.InitialScores != nil {
		where := "its initial scores"
		if s.Path != "" {
			where = "those of " + filepath.Clean(s.Path) + ".init"
		}
		s.remark(InitialScores, "%s: scores begin at %s, which are not part of the model: add them to its scores",
			s.Name, where)
	}
	if s.Bins == nil || missing != histogram.MissingNaN {
		return
	}
	if features := s.missingIsZero(); len(features) > 0 {
		s.remark(MissingIsZero, "%s: NaN counts as 0 in features that had none where bins were found: %s",
			s.called(), listed(features))
	}
}

// missingIsZero returns the names of the features that have NaN but no bin for it, and yet can
// split.
func (s *Set) missingIsZero() []string {
	var names []string
	for f, n := range s.Bins.NaNs() {
		if column := s.Bins.Column(int32(f)); n > 0 && column >= 0 && s.Bins.MissingBin(column) < 0 &&
			!s.Bins.Bins(column).IsCategorical() {
			names = append(names, fmt.Sprintf("%s (%s rows)", s.Meta.Features[f], thousands(n)))
		}
	}
	return names
}

// listed joins names, and counts those beyond the first few.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// thousands writes n ≥ 0 with commas: 1,234,567.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
