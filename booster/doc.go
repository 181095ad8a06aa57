// Package booster grows trees on the gradients of an objective and adds them up
// to a model.
//
// The way of an iteration: scores → gradients (objective) → integers on a common
// scale (round.go) → the rows of the bag (sample.go) → a tree, leaf by leaf
// (grow.go): sums of a leaf's rows (package histogram) → its best split
// (split.go, missing.go, count.go) → its rows, parted (partition.go) → a [tree.Tree]
// (finish.go) → new scores (score.go) → metrics, and whether to go on (stop.go).
//
// # The same bytes
//
// A model depends on the data, the parameters and the objective, and on nothing
// else: sums are sums of integers, random choices are hashes of what they are
// for (internal/keyed), ties are broken by stated rules, and floating-point
// steps are pinned. Threads only share out work whose parts do not meet.
package booster
