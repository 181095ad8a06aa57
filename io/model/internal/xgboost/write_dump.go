package xgboost

import (
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// writeDump writes the trees with the keys that Elasticsearch and OpenSearch know; they refuse
// others. It names no objective, so that engines return the scores unchanged. Each tree is on a line of its
// own.
func writeDump(w *document.Writer, features []tree.Feature, trees []*nodes) {
	w.Array(len(trees), func(i int) {
		w.Line()
		writeNode(w, features, trees[i], 0, 0)
	})
}

// writeNode writes a node and everything below it.
func writeNode(w *document.Writer, features []tree.Feature, n *nodes, node int32, depth int64) {
	w.Object(func() {
		w.Key("nodeid").Int(int64(node))
		if n.left[node] < 0 {
			w.Key("leaf").Float32(n.condition[node])
			return
		}
		children := [2]int32{n.left[node], n.right[node]}
		missing := children[1]
		if n.defaultLeft[node] == 1 {
			missing = children[0]
		}
		w.Key("depth").Int(depth)
		w.Key("split").Text(features[n.feature[node]].Name)
		w.Key("split_condition").Float32(n.condition[node])
		w.Key("yes").Int(int64(children[0]))
		w.Key("no").Int(int64(children[1]))
		w.Key("missing").Int(int64(missing))
		w.Key("children").Array(2, func(i int) { writeNode(w, features, n, children[i], depth+1) })
	})
}
