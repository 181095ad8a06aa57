package table

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// A column of a categorical feature may have texts. [Options.Categorical] chooses such columns of training
// data. If any cell of such a column is a text, all its cells go into a dictionary,
// dataset.Meta.Dictionaries, where category 0 is the most frequent text; equally frequent texts are in the
// order of their bytes. Where training continues from a model, its texts come first ([Options.Begin]). Data
// that is read for a model gets the model's dictionaries ([dataset.Features.Dictionaries]); a text that is
// not in them is a missing value.

// ErrManyTexts means that a column has more different texts than there can be categories.
var ErrManyTexts = errors.New("a categorical column has too many different texts")

// mostTexts is the largest number of texts of a dictionary.
const mostTexts = 1 << 20

var errManyTexts = fmt.Errorf("%w: more than %d; leave it out (ignore_column)", ErrManyTexts, mostTexts)

// dictionary maps the texts of a column to categories. While it is learned, several goroutines add to it.
type dictionary struct {
	feature  int
	slot     int // in a row's values
	category *byfeature.Dictionary

	known   atomic.Bool  // a text was known
	unknown atomic.Int64 // cells of this pass with an unknown text
	example atomic.Pointer[string]

	learning bool
	begin    []string // the first texts, those of a model that training continues from
	first    *byfeature.Dictionary
	mutex    sync.Mutex
	counts   map[string]int // rows of each text
}

// value returns the category of a cell, which is NaN if it has none. A word for missing values is a text to a
// model that was trained on it as one: frames may have "NA" for Namibia.
func (d *dictionary) value(cell []byte) (float64, error) {
	of := d.category
	if d.learning {
		of = d.first
	}
	category, known := of.Category(cell)
	switch {
	case len(cell) == 0 || !known && isMissingValue(cell):
		return math.NaN(), nil
	case d.learning:
		return math.NaN(), d.count(cell)
	}
	return d.counted(category, known, cell), nil
}

// ofNumber returns the category of a number, which is NaN if it has none.
func (d *dictionary) ofNumber(v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	category, known := d.category.CategoryOf(v)
	var text [32]byte
	if !known {
		return d.counted(0, false, strconv.AppendFloat(text[:0], v, 'g', -1, 64))
	}
	return d.counted(category, true, nil)
}

// counted returns the category of a cell, or NaN if that is not known, and counts the unknown cells.
func (d *dictionary) counted(category float64, known bool, cell []byte) float64 {
	if !known {
		if d.unknown.Add(1) == 1 {
			text := rows.Shorten(cell)
			d.example.Store(&text)
		}
		return math.NaN()
	}
	if !d.known.Load() {
		d.known.Store(true)
	}
	return category
}

func (d *dictionary) count(cell []byte) error {
	if !utf8.Valid(cell) {
		return ErrEncoding
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, known := d.counts[string(cell)]; !known && len(d.counts) == mostTexts {
		return errManyTexts
	}
	d.counts[string(cell)]++
	return nil
}

// gather adds up the counts of all peers.
func (d *dictionary) gather(part *dataset.Part) error {
	g := part.Group()
	if g.Size() == 1 {
		return nil
	}
	own := slices.Sorted(maps.Keys(d.counts))
	counts := make([]int64, len(own))
	for i, word := range own {
		counts[i] = int64(d.counts[word])
	}
	countsOf := g.Gather(counts)
	clear(d.counts)
	for rank, words := range g.GatherTexts(own) {
		for i, word := range words {
			d.counts[word] += int(countsOf[rank][i])
		}
	}
	if len(d.counts) > mostTexts {
		return errManyTexts
	}
	return nil
}

// learned ends the learning. It returns the texts by category, or nil if all of them are numbers. A text that
// the first ones know, such as 1.0 for 1 or true for True, is no new one.
func (d *dictionary) learned() []string {
	maps.DeleteFunc(d.counts, func(word string, _ int) bool {
		_, known := d.first.Category([]byte(word))
		return known
	})
	words := make([]string, 0, len(d.counts))
	text := len(d.begin) > 0
	for word := range d.counts {
		_, err := rows.ParseNumber([]byte(word))
		words, text = append(words, word), text || err != nil
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(d.counts[b], d.counts[a]), strings.Compare(a, b))
	})
	words = slices.Concat(d.begin, words)
	d.learning, d.counts = false, nil
	if !text {
		return nil
	}
	d.category = byfeature.NewDictionary(words)
	return words
}

// findDictionaries gives columns their dictionaries: those of the model, or empty
// ones that are to be learned.
func (o *Options) findDictionaries(f *finder) {
	c := f.columns
	c.dictionaries = make([]*dictionary, len(c.role))
	slots, _ := c.slots()
	for column, role := range c.role {
		if role < 0 || o.Model == nil {
			continue
		}
		if words, has := o.Model.Dictionaries[role]; has {
			c.dictionaries[column] = &dictionary{feature: role, slot: slots[column],
				category: byfeature.NewDictionary(words)}
		}
	}
	if o.Model != nil || f.err != nil {
		return
	}
	chosen, err := histogram.CategoricalFeatures(o.Categorical, c.features)
	if err != nil {
		f.err = &dataset.Error{Path: f.path, Err: err}
	}
	for _, feature := range chosen {
		if column := c.with(feature); column >= 0 {
			begin := o.Begin[c.features[feature]]
			c.dictionaries[column] = &dictionary{feature: feature, slot: slots[column], learning: true,
				begin: begin, first: byfeature.NewDictionary(begin), counts: map[string]int{}}
		}
	}
}

// learns reports whether dictionaries are to be learned before rows are read.
func (c *columns) learns() bool {
	return slices.ContainsFunc(c.dictionaries, func(d *dictionary) bool { return d != nil && d.learning })
}

// finishLearning returns the dictionaries that all peers have learned together.
// Columns of numbers lose theirs.
func (c *columns) finishLearning(part *dataset.Part) (map[int][]string, error) {
	all := map[int][]string{}
	for column, d := range c.dictionaries {
		if d == nil || !d.learning {
			continue
		}
		if err := d.gather(part); err != nil {
			return nil, err
		}
		words := d.learned()
		if words == nil {
			c.dictionaries[column] = nil
			continue
		}
		all[d.feature] = words
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// leastUnknown is the number of unknown texts from which, if no text is known, the dictionary must belong to
// other data.
const leastUnknown = 100

// ErrOtherTexts means that none of a column's texts occurred in training.
var ErrOtherTexts = errors.New("no text of the column is one that the training data had: write texts as " +
	"they are there, or train without the column (ignore_column=)")

// unknownTexts returns a sentence for each column with texts that are not in its dictionary, and resets the
// counts. Many texts, none of which is known, are an error. All peers that share
// the data must call it together.
func (c *columns) unknownTexts(path string, part *dataset.Part) ([]string, error) {
	g := part.Group()
	var sentences []string
	for _, d := range c.dictionaries {
		if d == nil || d.learning {
			continue
		}
		n, known := g.SumOf(int(d.unknown.Swap(0))), g.Any(d.known.Swap(false))
		if n == 0 {
			continue
		}
		example := d.exampleOf(part)
		if !known && n >= leastUnknown {
			return nil, &dataset.Error{Path: path, Field: c.features[d.feature], Token: example, Err: ErrOtherTexts}
		}
		sentences = append(sentences, fmt.Sprintf("column %s: %s %s that the training data did "+
			"not have, such as %q; %s",
			c.features[d.feature], wording.Count(n, "cell"), wording.Agree(n, "has a text", "have texts"), example,
			wording.Agree(n, "it counts as a missing value", "they count as missing values")))
	}
	return sentences, nil
}

// exampleOf returns a text of any peer that is not in the dictionary.
func (d *dictionary) exampleOf(part *dataset.Part) string {
	var own []string
	if text := d.example.Load(); text != nil {
		own = append(own, *text)
	}
	return slices.Concat(part.Group().GatherTexts(own)...)[0]
}
