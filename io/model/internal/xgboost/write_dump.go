package xgboost

import "github.com/lambdamart/lambdamart/io/model/internal/document"

// appendDump appends the trees with the keys that Elasticsearch and OpenSearch know; they refuse others. It
// names no objective, so that engines return the scores unchanged. Each tree is on a line of its own.
func appendDump(b []byte, names []string, trees []*nodes) []byte {
	separator := "[\n"
	for _, t := range trees {
		b = document.AppendJSON(append(b, separator...), t.dump(names, 0, 0))
		separator = ",\n"
	}
	return append(b, ']')
}

// dump returns a node and everything below it.
func (n *nodes) dump(names []string, node int32, depth int) document.Object {
	id := document.Field{Key: "nodeid", Value: int(node)}
	left, right := n.left[node], n.right[node]
	if left < 0 {
		return document.Object{id, {Key: "leaf", Value: n.condition[node]}}
	}
	missing := right
	if n.defaultLeft[node] == 1 {
		missing = left
	}
	return document.Object{
		id,
		{Key: "depth", Value: depth},
		{Key: "split", Value: names[n.feature[node]]},
		{Key: "split_condition", Value: n.condition[node]},
		{Key: "yes", Value: int(left)}, {Key: "no", Value: int(right)}, {Key: "missing", Value: int(missing)},
		{Key: "children", Value: [2]document.Object{n.dump(names, left, depth+1), n.dump(names, right, depth+1)}},
	}
}
