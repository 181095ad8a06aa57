// Package booster trains boosted trees on ranking data that is binned.
//
//	p := booster.DefaultParams()
//	p.NumLeaves, p.Patience, p.StopMetric = 63, 20, "ndcg@10"
//	r, err := booster.Train(ctx, p, train, []booster.Data{valid}, booster.Options{})
//
// [Params] are the settings; begin with [DefaultParams], because zero is never a default. [Data] is bins
// with the queries and labels of the rows; package io/data loads it from files and memory, and package
// lambdamart trains on files directly. [Train] runs to the end, and [New] returns a [Training] that the
// caller steps. A [Result] has the model, which scores documents and which package io/model writes. [Refit]
// fits the leaves of a model to other data, and [Scores] scores binned rows.
//
// The rounds of a run, the metrics and early stopping are those of package training.
//
// # An iteration
//
// Each iteration grows one tree, in these steps:
//
//	a bag of queries, and                 sample.go: draws the queries that the tree learns from
//	scores of all rows
//	        │
//	        ▼
//	lambda and Hessian of                 lambdas.go: asks the objective (package objective),
//	each row of the bag                   query by query
//	        │
//	        ▼
//	integers on a common scale,           activate.go: rounds; rows that become zero are left out
//	active rows                           of the tree's growth
//	        │
//	        ▼
//	bins of the active rows               internal/binsum: copied together if few
//	        │                             internal/grow: leaf by leaf, until there are NumLeaves
//	        ▼                             leaves or no split gains
//	┌─ leaf ◄────────────────────────┐
//	│       │                        │
//	│       ▼                        │
//	│  sums of its rows by bin       │    internal/binsum: built, or parent minus sibling
//	│       │                        │
//	│       ▼                        │
//	│  best split                    │    internal/bincut: the best cut of each column that
//	│       │                        │    leaves min_data_in_leaf rows
//	│       ▼                        │
//	│  two leaves, rows partitioned ─┘
//	│
//	└► leaf of every row                  internal/walk: also of rows that were not active
//	        │
//	        ▼
//	sums of each leaf over the            refit.go: at full resolution
//	rows of the bag
//	        │
//	        ▼
//	leaves with enough rows and Hessian   internal/grow: the rows of others go to their siblings
//	        │
//	        ▼
//	tree.Tree                             leaf values times the learning rate
//	        │
//	        ▼
//	new scores of training and            forest.go
//	validation rows
//
// If a tree has no split, learner.go continues with the next draw of queries, features and rounding, up to a
// hundred times. If the first tree has no split, nosplit.go finds the reason. Package training evaluates each
// iteration and decides whether to continue. profile.go measures where the time goes. train.go trains several
// models and combines them into one.
//
// # The same bytes
//
// A model depends only on the data, the parameters and the objective: sums are sums of integers, random
// choices are hashes of what they are for (internal/random), ties are broken by fixed rules, and each
// floating-point operation is rounded as it is written. Results do not depend on how threads share the work.
package booster
