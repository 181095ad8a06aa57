package nnbaseline

import "math"

// schedule determines the learning rate of each step.
type schedule struct {
	params *Params
	steps  int // of the complete training run

	// For plateau.
	falls   int     // number of times that the learning rate fell
	since   int     // epoch of the latest rise of the stop metric, or fall of the learning rate
	highest float64 // highest value of the stop metric so far
}

func newSchedule(p *Params, steps int) *schedule {
	return &schedule{params: p, steps: steps, highest: math.Inf(-1)}
}

// rate returns the learning rate of a step in an epoch; both count from 1. With cosine, the first step has
// the full rate, and a step after the last one would have the rate 0. (Loshchilov and Hutter, SGDR, ICLR
// 2017, equation 5 without restarts.)
func (s *schedule) rate(epoch, step int) float64 {
	p := s.params
	switch p.Schedule {
	case Cosine:
		return p.LearningRate * (1 + math.Cos(math.Pi*float64(step-1)/float64(s.steps))) / 2
	case Step:
		return float64(p.LearningRate * math.Pow(p.ScheduleFactor, float64((epoch-1)/p.ScheduleEpochs)))
	case Plateau:
		return float64(p.LearningRate * math.Pow(p.ScheduleFactor, float64(s.falls)))
	default:
		return p.LearningRate
	}
}

// see records the value of the stop metric after an epoch.
func (s *schedule) see(epoch int, value float64) {
	switch {
	case value > s.highest:
		s.highest, s.since = value, epoch
	case epoch-s.since >= s.params.ScheduleEpochs:
		s.falls++
		s.since = epoch
	}
}
