package nnbaseline

// squaredError is the mean of (s - y)² over a query's documents, with scores s and labels y. It learns
// from every query.
type squaredError struct{}

func (squaredError) teaches([]float64) bool { return true }

func (squaredError) shiftable() bool { return false }

func (squaredError) of(dst []float64, q query, scores []float64) float64 {
	n, sum := float64(len(scores)), 0.0
	for i, s := range scores {
		d := s - q.labels[i]
		sum += float64(d * d)
		dst[i] = 2 * d / n
	}
	return sum / n
}
