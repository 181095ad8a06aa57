package training

import "math"

// stopper is the rule of early stopping: training ends when the watched metric has
// not risen by more than minDelta above its best for patience rounds.
type stopper struct {
	patience int // 0: never
	minDelta float64
	round    int     // of the best value, from 1; 0 before the first
	value    float64 // the best
}

func newStopper(p *Params) stopper {
	return stopper{patience: p.Patience, minDelta: p.MinDelta, value: math.Inf(-1)}
}

// see records the watched metric after a round. It reports whether the round is
// the best so far, and whether training should end.
func (s *stopper) see(round int, value float64) (best, stop bool) {
	if best = s.round == 0 || value > s.value+s.minDelta; best {
		s.round, s.value = round, value
	}
	return best, s.patience > 0 && round-s.round >= s.patience
}
