package solr

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/tree"
)

// zooKeeperLimit is the default limit of the size of a file in Solr's managed store, in bytes.
const zooKeeperLimit = 1 << 20

// Notes returns remarks for the user about the file of e of the given size in bytes: thresholds that Solr
// cannot reproduce, and a size that ZooKeeper refuses.
func Notes(e *tree.Ensemble, size int) []string {
	var notes []string
	if all := Deviations(e); len(all) > 0 {
		widest := slices.MaxFunc(all, func(a, b Deviation) int { return cmp.Compare(a.To-a.Above, b.To-b.Above) })
		notes = append(notes, fmt.Sprintf("Solr adds 1e-6 to thresholds, which cannot be made up for at %d of "+
			"them: float32 values just beside these go the other way; the widest gap is that of %q, above %g up to %g",
			len(all), e.Features[widest.Feature].Name, widest.Above, widest.To))
	}
	if size > zooKeeperLimit {
		notes = append(notes, "the file is larger than 1 MB, which ZooKeeper refuses by default: raise "+
			"jute.maxbuffer, or use Solr's DefaultWrapperModel")
	}
	return notes
}
