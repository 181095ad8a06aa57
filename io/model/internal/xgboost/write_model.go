package xgboost

import (
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// noParent is XGBoost's number for the parent of the root.
const noParent = math.MaxInt32

// writeModel writes the model as save_model of XGBoost 1.7 does, which XGBoost 3.x reads too.
// Elasticsearch requires a type for each feature, "float", and reads leaf values from
// base_weights.
func writeModel(w *document.Writer, features []tree.Feature, trees []*nodes) {
	w.Object(func() {
		w.Key("learner").Object(func() {
			w.Key("attributes").Object(func() {})
			w.Key("feature_names").Array(len(features), func(i int) { w.Text(features[i].Name) })
			w.Key("feature_types").Array(len(features), func(int) { w.Text("float") })
			w.Key("gradient_booster").Object(func() {
				w.Key("model").Object(func() { writeTrees(w, trees, len(features)) })
				w.Key("name").Text("gbtree")
			})
			w.Key("learner_model_param").Object(func() {
				parameters(w, "base_score", "0E0", "boost_from_average", "1", "num_class", "0",
					"num_feature", strconv.Itoa(len(features)), "num_target", "1")
			})
			w.Key("objective").Object(func() {
				w.Key("lambda_rank_param").Object(func() {
					parameters(w, "fix_list_weight", "0", "num_pairsample", "1")
				})
				w.Key("name").Text("rank:ndcg") // the score is the sum of the leaves
			})
		})
		w.Key("version").Array(3, func(i int) { w.Int([]int64{1, 7, 6}[i]) })
	})
}

// parameters writes pairs of a name and a value, all as strings, as XGBoost does.
func parameters(w *document.Writer, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		w.Key(pairs[i]).Text(pairs[i+1])
	}
}

func writeTrees(w *document.Writer, trees []*nodes, features int) {
	w.Key("gbtree_model_param").Object(func() {
		parameters(w, "num_parallel_tree", "1", "num_trees", strconv.Itoa(len(trees)), "size_leaf_vector", "0")
	})
	w.Key("tree_info").Array(len(trees), func(int) { w.Int(0) })
	w.Key("trees").Array(len(trees), func(i int) {
		w.Line()
		w.Object(func() { trees[i].write(w, i, features) })
	})
}

func (n *nodes) write(w *document.Writer, number, features int) {
	w.Key("base_weights").Float32s(n.value)
	w.Key("categories").Int32s(nil)
	w.Key("categories_nodes").Int32s(nil)
	w.Key("categories_segments").Int64s(nil)
	w.Key("categories_sizes").Int64s(nil)
	w.Key("default_left").Bytes8(narrow(n.defaultLeft))
	w.Key("id").Int(int64(number))
	w.Key("left_children").Int32s(n.left)
	w.Key("loss_changes").Float32s(n.gain)
	w.Key("parents").Int32s(n.parents())
	w.Key("right_children").Int32s(n.right)
	w.Key("split_conditions").Float32s(n.condition)
	w.Key("split_indices").Int32s(n.feature)
	w.Key("split_type").Bytes8(make([]byte, len(n.left)))
	w.Key("sum_hessian").Float32s(n.hessian)
	w.Key("tree_param").Object(func() {
		parameters(w, "num_deleted", "0", "num_feature", strconv.Itoa(features),
			"num_nodes", strconv.Itoa(len(n.left)), "size_leaf_vector", "0")
	})
}

func (n *nodes) parents() []int32 {
	parents := make([]int32, len(n.left))
	parents[0] = noParent
	for node := range n.left {
		if n.left[node] >= 0 {
			parents[n.left[node]], parents[n.right[node]] = int32(node), int32(node)
		}
	}
	return parents
}

func narrow(list []int32) []byte {
	bytes := make([]byte, len(list))
	for i, v := range list {
		bytes[i] = byte(v)
	}
	return bytes
}
