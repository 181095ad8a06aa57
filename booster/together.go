package booster

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// ErrPeers is wrapped by errors about features that a single process supports, but several ranks do not.
var ErrPeers = errors.New("several peers cannot train with that")

// checkPeers returns an error for an objective or a metric that does not support several peers.
func checkPeers(train Data, obj objective.Objective, metrics []metric.Metric) error {
	if train.Meta.Part.Group().Size() == 1 {
		return nil
	}
	for _, m := range metrics {
		if _, whole := m.(metric.Whole); whole {
			return fmt.Errorf("metric %s, which judges all queries at once: %w; it must judge single queries",
				m.Name(), ErrPeers)
		}
	}
	if _, whole := obj.(objective.Whole); whole {
		return fmt.Errorf("objective %s, which computes the gradients of all queries at once: %w; it must be "+
			"one of single queries", obj.Name(), ErrPeers)
	}
	return nil
}

// initialScore returns the score of all rows before the first tree, if the objective has one; otherwise 0.
func initialScore(obj objective.Objective, train *dataset.Meta) float64 {
	o, ok := obj.(objective.Initial)
	if !ok || train.InitialScores != nil {
		return 0
	}
	return o.InitialScore(train)
}

// checkSame returns an error unless all peers have the same parameters and bins.
func (t *trainer) checkSame() error {
	if t.train.Meta.Part.Group().Size() == 1 {
		return nil
	}
	var s fingerprint.Sum
	for i, f := range t.Facts() {
		s.Text(2*i, f.Name)
		s.Text(2*i+1, f.Value)
	}
	numbers, bounds, _ := t.train.Values.Rows(0, 0).Fingerprint(0, 1)
	s.Text(-1, numbers+bounds)
	if !t.train.Meta.Part.Group().Same([]int64{int64(s[0]), int64(s[1]), int64(len(t.valid))}) {
		return fmt.Errorf("parameters or bins that differ between peers: %w; start all with the same "+
			"command line, configuration file and data", ErrPeers)
	}
	return nil
}
