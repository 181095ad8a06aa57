package train

import (
	"math"
	"os"
	"runtime/debug"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/tree"
)

// spareMemory lets the heap grow by some garbage until it is collected, unless the variable GOGC of the Go
// runtime is set. By default the heap doubles. Training keeps large slices without pointers and reuses them,
// so that a collection takes little time, however large they are.
func spareMemory(inUse, garbage int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(min(100, 100*garbage/inUse))
	}
}

// garbage returns the bytes that may wait to be collected while a run keeps inUse bytes.
func garbage(inUse int) int { return max(2<<20, inUse*3/100) }

// giveBack returns free memory to the system after the rounds 1, 2, 4, 8 and so on of a large run: the
// runtime keeps up to a tenth of the heap, and arrays of the first rounds leave much when they grow. On small
// data this is little, and the collections would take some per cent of the time.
func giveBack(inUse, round int) {
	const large = 64 << 20
	if inUse >= large && round&(round-1) == 0 {
		debug.FreeOSMemory()
	}
}

// announced is an upper estimate of the memory, in bytes, that the system sees in use while trees are
// trained: inUse, and that of the trees, the program, and garbage that is not collected yet. Early stopping
// may end training with the first number of trees, and does not before.
func announced(p *booster.Params, all *data.Loaded, inUse int, initial *tree.Ensemble) (least, most int) {
	const ofProgram = 21e6
	inUse += inUse/16 + garbage(inUse) + ofProgram + ofInitial(initial)
	tree := max(1, p.NumModels*ofTree(p, all))
	trees := min(p.NumIterations, (math.MaxInt-inUse)/tree)
	first := trees
	if p.StopsEarly() {
		first = min(trees, p.Patience)
	}
	return inUse + first*tree, inUse + trees*tree
}

const ofLeaf = 200 // bytes of a leaf, its node, and their text

// ofTree returns about how many bytes a tree and its text use. It takes half of the splits to be by
// categories, if there are any.
func ofTree(p *booster.Params, all *data.Loaded) int {
	bytes, sets := 0, 0 // bytes of a set of each categorical feature
	for _, feature := range all.Training.Bins.Mapper.Features {
		if categories := feature.Categories; len(categories) > 0 {
			bytes, sets = bytes+int(slices.Max(categories))/8, sets+1
		}
	}
	leaves := min(p.NumLeaves, all.Training.Meta.NumRows()/max(1, p.MinDataInLeaf))
	return leaves * (ofLeaf + bytes/max(1, sets))
}

// ofInitial returns about how many bytes the trees from which training continues use, and their text, which
// the new model repeats. m is nil if there are none.
func ofInitial(m *tree.Ensemble) (bytes int) {
	if m == nil {
		return 0
	}
	for i := range m.Trees {
		const ofCategories = 4 + 11 // a word of a set, and its digits
		bytes += m.Trees[i].NumLeaves()*ofLeaf + len(m.Trees[i].Categories)*ofCategories
	}
	return bytes
}

// memory estimates the memory, in bytes, that a training run of trees uses.
func memory(p *booster.Params, all *data.Loaded) int {
	validRows := 0
	for _, s := range all.Validation {
		validRows += s.Meta.NumRows()
	}
	return p.Memory(all.Training.Bins, validRows) + ofTexts(all.Training.Meta)
}

// ofTexts returns about how many bytes the texts of categories use.
func ofTexts(meta *dataset.Meta) (bytes int) {
	const ofText = 72 // besides its letters
	for _, words := range meta.Dictionaries {
		for _, word := range words {
			bytes += len(word) + ofText
		}
	}
	return bytes
}
