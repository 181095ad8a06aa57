package xgboost

import (
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

// sets are the categories of the categorical splits: set k belongs to node Nodes[k], and is the Sizes[k]
// entries of Categories from Segments[k] on.
type sets struct{ Categories, Nodes, Segments, Sizes []int32 }

// add adds the set of a node.
func (s *sets) add(node int, categories []int) {
	s.Nodes, s.Segments = append(s.Nodes, int32(node)), append(s.Segments, int32(len(s.Categories)))
	s.Sizes = append(s.Sizes, int32(len(categories)))
	for _, category := range categories {
		s.Categories = append(s.Categories, int32(category))
	}
}

// readSets reads the categories of the categorical splits, and finds the set of each node.
func (n *nodes) readSets(c document.Cursor) {
	of, all := c.Optional("categories_nodes"), c.Optional("categories")
	if n.Categories = all.Int32s(all.Len(), 0, MaxCategory); n.Categories == nil {
		n.Categories = []int32{} // so that an empty set is not nil
	}
	n.Nodes = of.Int32s(of.Len(), 0, int32(len(n.Left))-1)
	ofEach := c.Optional
	if len(n.Nodes) > 0 {
		ofEach = c.Field
	}
	n.Segments = ofEach("categories_segments").Int32s(len(n.Nodes), 0, math.MaxInt32)
	n.Sizes = ofEach("categories_sizes").Int32s(len(n.Nodes), 0, math.MaxInt32)
	if !c.Sound() {
		return
	}
	n.setOf = make([][]int32, len(n.Left))
	for k, node := range n.Nodes {
		first, end := int(n.Segments[k]), int(n.Segments[k])+int(n.Sizes[k])
		if end > len(n.Categories) || n.Types[node] != 1 {
			c.Failf(ErrFormat, "the categories of node %d are not those of a categorical split", node)
			return
		}
		n.setOf[node] = n.Categories[first:end:end]
	}
	for node, kind := range n.Types {
		if kind == 1 && n.setOf[node] == nil {
			c.Failf(ErrFormat, "node %d is a categorical split without categories", node)
			return
		}
	}
}

// addSetOf adds the categories of a node to a tree, and returns the number of the set.
func (n *nodes) addSetOf(t *engine.Builder, c document.Cursor, node int32) float64 {
	set := n.setOf[node]
	if len(set) > 0 {
		*n.words += int(slices.Max(set))/32 + 1
	}
	if *n.words > mostWords {
		c.Failf(document.ErrUnsupported, "the sets of categories need more than %d words of 32 categories",
			mostWords)
		return 0
	}
	return t.AddSet(engine.Bits(set))
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
					offsets.Failf(ErrFormat, "%d after %d, want ascending", ends[i], ends[i-1])
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
