package histogram

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// The bins of a categorical feature are LightGBM's (BinMapper::FindBin). A value is truncated to an integer,
// its category. The categories of the sample are sorted by their number of rows, most rows first and ties by
// the category. In this order they get the bins from 1 on, until
//
//   - all categories have a bin, or
//   - 99 % of the rows have a category with a bin, and there are max_bin bins, or
//   - the next category has fewer than min_data_in_bin rows, and there are two categories already.
//
// Bin 0 holds all other values: rare, unseen and negative categories, and missing values. They go right at
// every split, in training and in models.
//
// LightGBM differs in one respect: here, there are at most [MostBins] bins, while LightGBM continues until
// 99 % of the rows have a bin. [Sample.Remarks] reports how many rows are left in bin 0.

// MaxCategory is the largest category that can have a bin. It limits the size of splits: in memory and in the
// model's file, a split is a set of bits, one for each category up to the largest one of the set.
const MaxCategory = 1<<20 - 1

// Errors of categorical features.
var (
	ErrNoFeature = errors.New("there is no such feature")
	ErrCategory  = errors.New("a category is too large")
)

// checkCategories returns an error for categories that a categorical feature cannot have.
func (f *FeatureBins) checkCategories() error {
	if len(f.Categories) >= MostBins {
		return fmt.Errorf("%w: %s; wanted at most %d", ErrRaw, wording.Count(len(f.Categories), "category"),
			MostBins-1)
	}
	if f.Missing != MissingNone && f.Missing != MissingNaN {
		return fmt.Errorf("%w: missing type %d of categories", ErrRaw, f.Missing)
	}
	sorted := slices.Sorted(slices.Values(f.Categories))
	for i, c := range sorted {
		if c < 0 || c > MaxCategory || i > 0 && c == sorted[i-1] {
			return fmt.Errorf("%w: category %d, which is too large or there twice", ErrRaw, c)
		}
	}
	return nil
}

// IsCategorical reports whether the feature is categorical: its bins are categories, not ranges of numbers.
func (f *FeatureBins) IsCategorical() bool { return f.Categories != nil }

// newCategoryLookup returns the table of the bins of categories.
func newCategoryLookup(categories []int32) *lookup {
	l := &lookup{}
	if len(categories) > 0 {
		l.category = make([]uint16, slices.Max(categories)+1)
	}
	for i, c := range categories {
		l.category[c] = uint16(i + 1)
	}
	return l
}

// categoryBin returns the bin of a value of a categorical feature.
func (l *lookup) categoryBin(v float64) uint16 {
	if c, ok := categoryOf(v); ok && int(c) < len(l.category) {
		return l.category[c]
	}
	return 0
}

// searchCategory is like categoryBin, without the table. Tests compare categoryBin with it.
func (f *FeatureBins) searchCategory(v float64) uint16 {
	if c, ok := categoryOf(v); ok {
		return uint16(slices.Index(f.Categories, c) + 1)
	}
	return 0
}

// categoryOf returns the category of a value, and false if it has none: if it is NaN, negative, or too large
// for a model.
func categoryOf(v float64) (category int32, ok bool) {
	if !(v > -1 && v < 1<<31) { // NaN too
		return 0, false
	}
	return int32(v), true
}

// categories are the bins of a categorical feature, and statistics of its sample.
type categories struct {
	bins     FeatureBins
	distinct int // categories of the sample
	rows     int // sampled rows that have a category
	binned   int // sampled rows whose category has a bin
	negative int // sampled rows with a negative category
	broken   int // sampled rows whose value is not an integer
	tooLarge int32
}

// frequency is a category with the number of its sampled rows.
type frequency struct {
	category int32
	rows     int
}

// findCategories is like find, for a categorical feature.
func (w *finder) findCategories(values []float64, zeros int, p BinParams) categories {
	all := len(values)
	values, nans := dropNaNAndZero(values)
	zeros += all - len(values) - nans
	if p.Missing != MissingNaN { // as in LightGBM
		zeros, nans = zeros+nans, 0
	}
	w.sortValues(values)
	found, list := countCategories(values, zeros)
	found.bins.Missing = MissingNone
	kept := found.choose(list, nans+found.negative, p)
	if kept < len(list) || nans+found.negative > 0 {
		found.bins.Missing = MissingNaN
	}
	found.bins.Categories = make([]int32, kept)
	for i := range kept {
		found.bins.Categories[i] = list[i].category
		found.binned += list[i].rows
	}
	if kept > 0 {
		if largest := slices.Max(found.bins.Categories); largest > MaxCategory {
			found.tooLarge = largest
			return found
		}
	}
	found.bins.lookup = newCategoryLookup(found.bins.Categories)
	found.bins.Zero = found.bins.Bin(0)
	return found
}

// countCategories returns the categories, most rows first, and counts rows. Values are sorted, and none
// is zero.
func countCategories(values []float64, zeros int) (found categories, list []frequency) {
	add := func(category int32, rows int) {
		if n := len(list); n > 0 && list[n-1].category == category {
			list[n-1].rows += rows
		} else {
			list = append(list, frequency{category, rows})
		}
		found.rows += rows
	}
	zero := func() { add(0, zeros); zeros = 0 }
	for i, v := range values {
		// between the two signs, LightGBM counts 0 even if no row has it
		if v > 0 && (zeros > 0 || i > 0 && values[i-1] < 0) {
			zero()
		}
		if v != math.Trunc(v) {
			found.broken++
		}
		if c, ok := categoryOf(v); ok {
			add(c, 1)
		} else {
			found.negative++
		}
		found.bins.Min, found.bins.Max = min(found.bins.Min, v), max(found.bins.Max, v)
	}
	if zeros > 0 {
		zero()
	}
	found.distinct = len(list)
	slices.SortStableFunc(list, func(a, b frequency) int { return cmp.Compare(b.rows, a.rows) })
	return found, list
}

// choose returns the number of categories that get a bin. missing is the number of
// sampled rows without a category.
func (c *categories) choose(list []frequency, missing int, p BinParams) int {
	most := len(list)
	if missing > 0 {
		most++
	}
	most = min(most, p.MaxBin)
	enough := int(math.Round(float64(float32(c.rows) * 0.99))) // as LightGBM rounds it
	kept, rows := 0, 0
	for kept < len(list) && kept+1 < MostBins && (rows < enough || kept+1 < most) {
		if list[kept].rows < p.MinDataInBin && kept > 1 {
			break
		}
		rows += list[kept].rows
		kept++
	}
	return kept
}

// categorical returns the numbers of the categorical features, ascending.
func (p *BinParams) categorical(meta *dataset.Meta) ([]int, error) {
	raw := len(meta.Features)
	if meta.Context != nil {
		raw = meta.Context.Raw
	}
	chosen, err := CategoricalFeatures(p.Categorical, meta.Features[:raw])
	for f := range meta.Dictionaries {
		chosen = append(chosen, f)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), err
}

// CategoricalFeatures returns the numbers, ascending, of the features that [BinParams].Categorical
// chooses among those with the given names. The error matches [ErrNoFeature] if there is no such feature.
func CategoricalFeatures(choice string, names []string) ([]int, error) {
	list, named := strings.CutPrefix(choice, "name:")
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var chosen []int
	for _, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		f, err := strconv.Atoi(item)
		if named || err != nil {
			f = slices.Index(names, wording.FeatureName(item))
		}
		if f < 0 || f >= len(names) {
			return nil, fmt.Errorf("categorical_feature=%s: %w: %q; %s", choice, ErrNoFeature, item,
				featuresThere(item, named || err != nil, names))
		}
		chosen = append(chosen, f)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// CategoricalFeatures returns the numbers of the categorical features, in the form of
// [BinParams].Categorical.
func (m *Mapper) CategoricalFeatures() string {
	var chosen []string
	for f := range m.Features {
		if m.Features[f].IsCategorical() {
			chosen = append(chosen, strconv.Itoa(f))
		}
	}
	return strings.Join(chosen, ",")
}

// featuresThere describes the existing features, for an error about one that does not exist.
func featuresThere(item string, byName bool, names []string) string {
	switch {
	case len(names) == 0:
		return "the data has no features"
	case byName:
		return fmt.Sprintf("did you mean %s?", wording.Nearest(item, names))
	}
	return fmt.Sprintf("numbers of features are 0 to %d", len(names)-1)
}

// describeCategories returns remarks on categorical features, and an error if one has a category that is
// too large.
func describeCategories(features []int, found []categories, names []string) (remarks []string, err error) {
	for i := range found {
		c, name := &found[i], names[features[i]]
		if c.tooLarge > 0 {
			return nil, fmt.Errorf("categorical_feature: feature %s has category %d, and %d is the largest: %w; "+
				"number the categories from 0, the most frequent ones first: at most %d have a bin, and rare ones "+
				"may have any number", name, c.tooLarge, MaxCategory, ErrCategory, MostBins-1)
		}
		if c.broken > 0 {
			remarks = append(remarks, fmt.Sprintf("categorical feature %s has values that are no whole numbers, in "+
				"%s: they are cut, so that 1.9 is category 1", name, wording.Count(c.broken, "sampled row")))
		}
		if c.negative > 0 {
			remarks = append(remarks, fmt.Sprintf("categorical feature %s has values below 0 or beyond 2^31, in %s: "+
				"they count as missing", name, wording.Count(c.negative, "sampled row")))
		}
		switch kept := len(c.bins.Categories); {
		case kept == MostBins-1 && float64(c.binned) < 0.99*float64(c.rows):
			remarks = append(remarks, fmt.Sprintf("categorical feature %s has %s: the %s most frequent "+
				"have a bin, and the others, %.0f %% of the rows, count as one that goes right at every split",
				name, wording.Count(c.distinct, "category"), wording.Thousands(kept),
				100*(1-float64(c.binned)/float64(c.rows))))
		case 2*c.binned < c.rows:
			remarks = append(remarks, fmt.Sprintf("categorical feature %s: %s of %s have one of %s rare "+
				"categories, which count as one that goes right at every split, because fewer than min_data_in_bin= "+
				"sampled rows have it; group rare categories, give a number in place of them, such as their clicks, "+
				"or, if they have more rows in all of the data, raise bin_construct_sample_cnt=",
				name, wording.Thousands(c.rows-c.binned), wording.Count(c.rows, "sampled row"),
				wording.Thousands(c.distinct-kept)))
		}
	}
	return remarks, nil
}
