package xgboost

import (
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// noParent is XGBoost's number for the parent of the root.
const noParent = math.MaxInt32

// modelObject returns the model as save_model of XGBoost 1.7 writes it, which XGBoost 3.x reads too.
// Elasticsearch requires a type for each feature, "float", and reads leaf values from base_weights.
func modelObject(names []string, trees []*nodes) document.Object {
	return document.Object{
		{Key: "learner", Value: document.Object{
			{Key: "attributes", Value: document.Object{}},
			{Key: "feature_names", Value: names},
			{Key: "feature_types", Value: slices.Repeat([]string{"float"}, len(names))},
			{Key: "gradient_booster", Value: document.Object{
				{Key: "model", Value: treesObject(trees, len(names))},
				{Key: "name", Value: "gbtree"},
			}},
			{Key: "learner_model_param", Value: parameters("base_score", "0E0", "boost_from_average", "1",
				"num_class", "0", "num_feature", strconv.Itoa(len(names)), "num_target", "1")},
			{Key: "objective", Value: document.Object{
				{Key: "lambda_rank_param", Value: parameters("fix_list_weight", "0", "num_pairsample", "1")},
				{Key: "name", Value: "rank:ndcg"}, // the score is the sum of the leaves
			}},
		}},
		{Key: "version", Value: []int{1, 7, 6}},
	}
}

// parameters returns pairs of a name and a value, all strings as in XGBoost.
func parameters(pairs ...string) (o document.Object) {
	for pair := range slices.Chunk(pairs, 2) {
		o = append(o, document.Field{Key: pair[0], Value: pair[1]})
	}
	return o
}

func treesObject(trees []*nodes, features int) document.Object {
	list := make([]document.Object, len(trees))
	for i := range trees {
		list[i] = trees[i].object(i, features)
	}
	return document.Object{
		{Key: "gbtree_model_param", Value: parameters("num_parallel_tree", "1",
			"num_trees", strconv.Itoa(len(trees)), "size_leaf_vector", "0")},
		{Key: "tree_info", Value: make([]int, len(trees))},
		{Key: "trees", Value: list},
	}
}

func (n *nodes) object(number, features int) document.Object {
	return document.Object{
		{Key: "base_weights", Value: n.value},
		{Key: "categories", Value: []int32{}},
		{Key: "categories_nodes", Value: []int32{}},
		{Key: "categories_segments", Value: []int64{}},
		{Key: "categories_sizes", Value: []int64{}},
		{Key: "default_left", Value: narrow(n.defaultLeft)},
		{Key: "id", Value: number},
		{Key: "left_children", Value: n.left},
		{Key: "loss_changes", Value: n.gain},
		{Key: "parents", Value: n.parents()},
		{Key: "right_children", Value: n.right},
		{Key: "split_conditions", Value: n.condition},
		{Key: "split_indices", Value: n.feature},
		{Key: "split_type", Value: make([]byte, len(n.left))},
		{Key: "sum_hessian", Value: n.hessian},
		{Key: "tree_param", Value: parameters("num_deleted", "0", "num_feature", strconv.Itoa(features),
			"num_nodes", strconv.Itoa(len(n.left)), "size_leaf_vector", "0")},
	}
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
