package provenance

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/tree"
)

// Known are the categories of a feature that a model knows: those with a bin where it was trained, as far as
// its file lists them, and those of the sets of its nodes.
type Known struct {
	Feature    int
	Name       string
	Categories []int32 // ascending
	Texts      int     // the number of its texts, which the first categories stand for
}

// KnownCategories returns the categories of each feature that a node of a model compares with a set,
// ascending by feature; none of a network.
func KnownCategories(model any) (all []Known) {
	var e *tree.Ensemble
	switch m := model.(type) {
	case *tree.Ensemble:
		e = m
	case *tree.Scorer:
		e = m.Ensemble
	default:
		return nil
	}
	sets := make([][]uint32, len(e.Features))
	for i := range e.Trees {
		addSets(sets, &e.Trees[i])
	}
	for f, set := range sets {
		if set != nil {
			all = append(all, Known{f, e.Features[f].Name, categoriesOf(set, e.Features[f].Range),
				len(e.Dictionaries[f])})
		}
	}
	return all
}

// addSets adds the sets of the nodes of a tree to those of their features.
func addSets(sets [][]uint32, t *tree.Tree) {
	for node, d := range t.Decision {
		if d&tree.Categorical == 0 {
			continue
		}
		k, f := int(t.Threshold[node]), t.Feature[node]
		words := t.Categories[t.CategoryStart[k]:t.CategoryStart[k+1]]
		if more := len(words) - len(sets[f]); more > 0 || sets[f] == nil {
			sets[f] = append(sets[f], make([]uint32, max(more, 1))...)
		}
		for i, word := range words {
			sets[f][i] |= word
		}
	}
}

// categoriesOf returns the categories of a set and of a range such as "-1:3:0:7", ascending.
func categoriesOf(set []uint32, text string) (all []int32) {
	for i, word := range set[:min(len(set), 1<<26)] { // no value belongs to the others
		for ; word != 0; word &= word - 1 {
			all = append(all, int32(32*i+bits.TrailingZeros32(word)))
		}
	}
	for item := range strings.SplitSeq(text, ":") {
		if c, err := strconv.ParseInt(item, 10, 32); err == nil && c >= 0 {
			all = append(all, int32(c))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Has reports whether a value is a category that is known, or is missing: neither a number nor a category, as
// negative and infinite numbers are.
func (k *Known) Has(v float64) (known, missing bool) {
	if !(v > -1) || math.IsInf(v, 1) { // NaN too
		return false, true
	}
	if v < 1<<31 {
		_, listed := slices.BinarySearch(k.Categories, int32(v))
		known = listed || int(v) < k.Texts
	}
	return known, false
}

// LeastUnknown is the number of unknown categories from which, if none is known, a model must belong to
// other data.
const LeastUnknown = 100

// Watch looks for features of which no row has a category that the model knows. Any number of goroutines may
// use it, and what it finds does not depend on them. A feature costs nothing after its first known category.
type Watch struct {
	features []watched
	open     atomic.Int32 // features without a known category so far
}

type watched struct {
	Known
	seen  atomic.Bool // a known category
	mutex sync.Mutex
	found Unknown
}

// Unknown is what a [Watch] has found of a feature.
type Unknown struct {
	Of      Known
	Any     bool    // a known category was found, and the rest does not count
	Cells   int     // with an unknown category
	Example float64 // the smallest of them
}

// NewWatch returns a watch on these features; nil if there are none, which watches nothing.
func NewWatch(known []Known) *Watch {
	if len(known) == 0 {
		return nil
	}
	w := &Watch{features: make([]watched, len(known))}
	for i := range known {
		w.features[i].Known, w.features[i].found.Example = known[i], math.Inf(1)
	}
	w.open.Store(int32(len(known)))
	return w
}

// WatchRows lets a watch see rows, which are row-major with a value for each of width features of the model.
func WatchRows[F float32 | float64](w *Watch, rows []F, width int) {
	if w == nil || w.open.Load() == 0 {
		return
	}
	for i := range w.features {
		if f := &w.features[i]; !f.seen.Load() && f.Feature < width && see(f, rows, width) && !f.seen.Swap(true) {
			w.open.Add(-1)
		}
	}
}

// see counts the unknown categories of a feature up to the first known one. It reports whether there is one.
func see[F float32 | float64](f *watched, rows []F, width int) bool {
	cells, example, known := CountUnknown(&f.Known, rows, width)
	if known {
		return true
	}
	f.mutex.Lock()
	f.found.Cells, f.found.Example = f.found.Cells+cells, min(f.found.Example, example)
	f.mutex.Unlock()
	return false
}

// CountUnknown returns the number of unknown categories of a feature in rows such as those of [WatchRows],
// and the smallest of them, +Inf if there is none. If there is a known one, it reports only that.
func CountUnknown[F float32 | float64](k *Known, rows []F, width int) (cells int, example float64,
	known bool) {
	example = math.Inf(1)
	for at := k.Feature; at < len(rows); at += width {
		v := float64(rows[at])
		known, missing := k.Has(v)
		if known {
			return 0, 0, true
		}
		if !missing {
			cells, example = cells+1, min(example, v)
		}
	}
	return cells, example, false
}

// Found returns what was found of each feature, after all rows.
func (w *Watch) Found() (all []Unknown) {
	if w == nil {
		return nil
	}
	for i := range w.features {
		f := &w.features[i]
		found := f.found
		found.Of, found.Any = f.Known, f.seen.Load()
		all = append(all, found)
	}
	return all
}

// OfAll returns what all peers have found together, for the same features. It is a collective.
func OfAll(found []Unknown, g peers.Group) []Unknown {
	all, examples := slices.Clone(found), make([]float64, len(found))
	cells := make([]int64, len(found))
	for i := range all {
		all[i].Any, cells[i], examples[i] = g.Any(all[i].Any), int64(all[i].Cells), -all[i].Example
	}
	g.Sum(cells)
	g.MaxFloats(examples)
	for i := range all {
		all[i].Cells, all[i].Example = int(cells[i]), -examples[i]
	}
	return all
}

// Sentences returns a warning for each feature with many unknown categories and no known one.
func Sentences(found []Unknown) (all []string) {
	for _, u := range found {
		if u.Any || u.Cells < LeastUnknown {
			continue
		}
		all = append(all, fmt.Sprintf("column %s: the model knows none of its categories (%s, such as %s; it "+
			"knows %s), so that its splits send all documents the same way: give categories the numbers that they "+
			"had in training", u.Of.Name, wording.Count(u.Cells, "cell"), wording.Exact(u.Example),
			FewOf(u.Of.Categories)))
	}
	return all
}

// FewOf returns the first few of some categories, for messages.
func FewOf(numbers []int32) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = strconv.Itoa(int(n))
	}
	return wording.List(names, 3)
}
