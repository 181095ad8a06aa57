package metric

// Metric judges the ranking of one query.
//
// Implementations outside this package need these three methods and nothing
// else; [Evaluate] takes them.
type Metric interface {
	// Name is the metric's name with its cut-off, such as "ndcg@10".
	Name() string

	// Convention is the one that the metric follows.
	Convention() Convention

	// Query judges one query. labels and scores have one entry a document, in
	// the order of the input; both are only read. ok is false where the
	// convention leaves the query out of the mean. The value is NaN where a
	// score is NaN or a label has no gain.
	//
	// Query may be called by many goroutines at once and does not allocate in
	// the long run.
	Query(labels, scores []float64) (value float64, ok bool)
}

// judge is a metric of this package: it judges a query whose sorted forms other
// metrics use too.
type judge interface {
	Metric
	cutoff() int // ranks that it looks at; all if < 1
	judge(q *query) verdict
}

// verdict is what a metric says of a query.
type verdict struct {
	value  float64
	counts bool // enters the mean
	empty  bool // has no relevant document
	tied   bool // the order of equal scores would change the value, or may
}
