package booster

import "fmt"

// rateOf returns the learning rate of tree n of this run, from 0.
func (p *Params) rateOf(n int) float64 {
	if len(p.LearningRates) == 0 {
		return p.LearningRate
	}
	return p.LearningRates[min(n, len(p.LearningRates)-1)]
}

// checkRates returns an error for learning rates that would have no effect.
func (p *Params) checkRates() error {
	usual := DefaultParams()
	switch {
	case len(p.LearningRates) == 0:
		return nil
	case p.LearningRate != usual.LearningRate:
		return fmt.Errorf("learning_rate=%v and learning_rates: each tree has one rate; leave one of them out",
			p.LearningRate)
	}
	return nil
}

// ratesCaution returns a remark if there are learning rates of trees that are not grown; otherwise "".
func (p *Params) ratesCaution() string {
	n := len(p.LearningRates)
	if n <= p.NumIterations {
		return ""
	}
	return fmt.Sprintf("learning_rates has %d rates, and the last %d have no effect: num_iterations is %d", n,
		n-p.NumIterations, p.NumIterations)
}
