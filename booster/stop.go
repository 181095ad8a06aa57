package booster

import "math"

// StopReason tells why training ended.
type StopReason string

// The reasons.
const (
	Finished       StopReason = "all iterations done"
	StoppedEarly   StopReason = "stopped early"
	Cancelled      StopReason = "cancelled"
	NoSplitsRemain StopReason = "no split gains any more"
)

// stopper is the rule of early stopping: training ends when the watched metric
// has not risen by more than minDelta above its best for patience iterations.
type stopper struct {
	patience  int
	minDelta  float64
	iteration int     // of the best value, from 1; 0 before the first
	value     float64 // the best
}

func newStopper(p *Params) stopper {
	return stopper{patience: p.Patience, minDelta: p.MinDelta, value: math.Inf(-1)}
}

// see takes note of the watched metric after an iteration, and tells whether
// training should end.
func (s *stopper) see(iteration int, value float64) bool {
	if s.iteration == 0 || value > s.value+s.minDelta {
		s.iteration, s.value = iteration, value
	}
	return s.patience > 0 && iteration-s.iteration >= s.patience
}
