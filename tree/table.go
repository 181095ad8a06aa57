package tree

import "slices"

// A tree of few different conditions is a table. Bit i of a number is 1 if the row goes right at condition i,
// and the number is the place of the row's value. Trees whose levels have one split each (symmetric or
// oblivious ones: booster's grow_policy=symmetric, CatBoost's) have as many conditions as levels, in any
// order and even if some paths leave out levels. Shallow trees and stumps are tables, too. Such trees are
// recognized by their conditions, whatever program wrote the model.
type table struct {
	conditions []condition
	values     []float64 // by number
}

// condition is the comparison of a column's rank with the index of a threshold.
type condition struct{ column, index int }

const (
	maxTableConditions = 8 // numbers are bytes
	maxTableGrowth     = 8 // values per leaf: walks are faster than the cache misses of larger tables
)

// tablesOf returns the tables of trees, nil for a tree that would have more than most
// conditions or too many values.
func tablesOf(trees []Tree, q *quantizer, most int) []*table {
	tables := make([]*table, len(trees))
	for i := range trees {
		tables[i] = tableOf(&trees[i], q, most)
	}
	return tables
}

func tableOf(t *Tree, q *quantizer, most int) *table {
	var conditions []condition
	ofNode := make([]int, t.NumNodes())
	for node := range ofNode {
		c := q.conditionOf(t, node)
		if ofNode[node] = slices.Index(conditions, c); ofNode[node] >= 0 {
			continue
		}
		if ofNode[node] = len(conditions); ofNode[node] == most {
			return nil
		}
		conditions = append(conditions, c)
	}
	size := 1 << len(conditions)
	if t.Linear != nil || size > maxTableGrowth*t.NumLeaves() {
		return nil
	}
	values := make([]float64, size)
	for number := range values {
		values[number] = t.LeafValue[t.leafOfNumber(number, ofNode)]
	}
	return &table{conditions, values}
}

// leafOfNumber returns the leaf of rows with a number. ofNode is the bit of each node's condition.
func (t *Tree) leafOfNumber(number int, ofNode []int) int32 {
	at := t.Root()
	for at >= 0 {
		if number>>ofNode[at]&1 != 0 {
			at = t.Right[at]
		} else {
			at = t.Left[at]
		}
	}
	return ^at
}
