package xgboost

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// MaxCategory is the largest category of XGBoost, which has categories as float32.
const MaxCategory = 1<<24 - 1

// mostWords limits the memory of the sets of a file: 2^26 words of 32 categories.
const mostWords = 1 << 26

// addSetOf adds the categories of a node to a tree, and returns the number of the set.
func (n *nodes) addSetOf(t *engine.Builder, c document.Cursor, node int32) float64 {
	if n.setOf[node] < 0 {
		return 0 // of a file with a fault
	}
	set := n.sets[n.setOf[node]]
	words := 0
	if len(set) > 0 {
		words = int(slices.Max(set))/32 + 1
	}
	if *n.words += words; *n.words > mostWords {
		c.Fail(fmt.Errorf("%w: the sets of categories need more than %d words of 32 categories",
			document.ErrUnsupported,
			mostWords))
		return 0
	}
	return t.AddSet(engine.Bits(set))
}

// readSets reads the categories of the categorical splits: categories is a list of those of all sets; of each
// set, categories_segments has the place of the first one, categories_sizes their number, and
// categories_nodes the node.
func (n *nodes) readSets(c document.Cursor) {
	n.setOf = slices.Repeat([]int{-1}, len(n.Left))
	of := c.Optional("categories_nodes")
	all := c.Optional("categories")
	categories := all.Int32s(all.Len(), 0, MaxCategory)
	nodes := of.Int32s(of.Len(), 0, int32(len(n.Left))-1)
	ofEach := c.Optional
	if len(nodes) > 0 {
		ofEach = c.Field
	}
	segments := ofEach("categories_segments").Int32s(len(nodes), 0, math.MaxInt32)
	sizes := ofEach("categories_sizes").Int32s(len(nodes), 0, math.MaxInt32)
	if !c.Sound() {
		return
	}
	for i, node := range nodes {
		first, end := int(segments[i]), int(segments[i])+int(sizes[i])
		if end > len(categories) || n.Types[node] != 1 {
			c.Fail(fmt.Errorf("%w: the categories of node %d are not those of a categorical split", ErrFormat, node))
			return
		}
		n.setOf[node] = i
		n.sets = append(n.sets, categories[first:end])
	}
	for node, kind := range n.Types {
		if kind == 1 && n.setOf[node] < 0 {
			c.Fail(fmt.Errorf("%w: node %d is a categorical split without categories", ErrFormat, node))
			return
		}
	}
}

// addSet adds the categories of the next categorical split.
func (n *nodes) addSet(categories []int) {
	set := make([]int32, len(categories))
	for i, category := range categories {
		set[i] = int32(category)
	}
	n.sets = append(n.sets, set)
}

// Categories returns the categories of all sets.
func (n *nodes) Categories() []int32 { return append([]int32{}, slices.Concat(n.sets...)...) }

// Nodes returns the categorical splits.
func (n *nodes) Nodes() []int32 {
	all := []int32{}
	for node, kind := range n.Types {
		if kind == 1 {
			all = append(all, int32(node))
		}
	}
	return all
}

// Sizes returns the number of categories of each set.
func (n *nodes) Sizes() []int {
	sizes := make([]int, len(n.sets))
	for i, set := range n.sets {
		sizes[i] = len(set)
	}
	return sizes
}

// Segments returns the place of each set in Categories.
func (n *nodes) Segments() []int {
	places, at := make([]int, len(n.sets)), 0
	for i, set := range n.sets {
		places[i], at = at, at+len(set)
	}
	return places
}

// readDictionaries reads the categories of data frames, by feature, which XGBoost 3.1 and newer keep:
// "values" has texts, one after the other, that end at "offsets", or numbers.
func readDictionaries(e *tree.Ensemble, model document.Cursor) {
	model.Optional("cats").Optional("enc").Elements(func(feature int, c document.Cursor) {
		values := c.Field("values")
		var words []string
		if offsets := c.Optional("offsets"); offsets.IsArray() {
			text := values.Int32s(values.Len(), -128, 255)
			ends := offsets.Int32s(offsets.Len(), 0, int32(len(text)))
			for i := 1; i < len(ends) && c.Sound(); i++ {
				if ends[i] < ends[i-1] {
					offsets.Fail(fmt.Errorf("%w: %d after %d, want ascending", ErrFormat, ends[i], ends[i-1]))
					return
				}
				word := make([]byte, 0, ends[i]-ends[i-1])
				for _, b := range text[ends[i-1]:ends[i]] {
					word = append(word, byte(b))
				}
				words = append(words, string(word))
			}
		} else {
			for _, v := range values.Float64s(values.Len()) {
				words = append(words, strconv.FormatFloat(v, 'f', -1, 64))
			}
		}
		if len(words) == 0 || feature >= len(e.Features) {
			return
		}
		if e.Dictionaries == nil {
			e.Dictionaries = map[int][]string{}
		}
		e.Dictionaries[feature] = words
	})
}
