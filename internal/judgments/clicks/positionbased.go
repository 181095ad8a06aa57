package clicks

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Expectation maximization stops when no θ changes by more than this, or after this many iterations.
const (
	stillness      = 1e-9
	mostIterations = 20000
)

// PositionBased estimates the position-based model. prior is s, 0 or more. The error wraps [ErrSeparate], or
// is the error of ctx.
func (l *Log) PositionBased(ctx context.Context, prior float64) (*Result, error) {
	if err := l.connected(); err != nil {
		return nil, err
	}
	r := l.totals()
	theta, gamma := make([]float64, len(l.positions)), make([]float64, len(l.pairs))
	l.start(r, theta, gamma)
	for r.Iterations = 1; r.Iterations < mostIterations; r.Iterations++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.step(r, theta, gamma, prior) < stillness {
			break
		}
	}
	for i := range theta {
		r.Positions[i].Value = theta[i]
	}
	largest := r.relative()
	for i := range gamma {
		r.Documents[i].Value = float64(gamma[i] * largest)
	}
	return r, nil
}

// start sets the estimates before the first step: each position is examined as often as its click-through
// rate suggests, relative to the best one, and all documents are equally attractive.
func (l *Log) start(r *Result, theta, gamma []float64) {
	best, clicks, impressions := 0.0, 0.0, 0.0
	for _, p := range r.Positions {
		best = math.Max(best, p.Clicks/p.Impressions)
		clicks += p.Clicks
		impressions += p.Impressions
	}
	for i, p := range r.Positions {
		theta[i] = math.Max(p.Clicks/p.Impressions/best, 1e-3)
	}
	for i := range gamma {
		gamma[i] = math.Min(2*clicks/impressions, 0.5)
	}
}

// step performs one step of expectation maximization. It returns the largest change of a θ, relative to the
// largest θ.
//
// After an impression without a click, the position was examined with probability θ(1-γ)/(1-θγ), and the
// document is attractive with probability γ(1-θ)/(1-θγ). After a click, both are certain. The prior
// shrinks the estimate of a document toward the mean of all impressions.
func (l *Log) step(r *Result, theta, gamma []float64, prior float64) (change float64) {
	looked, attracted := make([]float64, len(theta)), make([]float64, len(gamma))
	for _, c := range l.cells {
		t, g := theta[c.position], gamma[c.pair]
		missed := c.impressions - c.clicks
		neither := 1 - float64(t*g)
		if neither > 0 {
			looked[c.position] += float64(missed * t * (1 - g) / neither)
			attracted[c.pair] += float64(missed * g * (1 - t) / neither)
		}
		looked[c.position] += c.clicks
		attracted[c.pair] += c.clicks
	}
	largest := slices.Max(theta)
	for i := range theta {
		next := looked[i] / r.Positions[i].Impressions
		change = math.Max(change, math.Abs(next-theta[i])/largest)
		theta[i] = next
	}
	all, impressions := 0.0, 0.0
	for i := range gamma {
		all += attracted[i]
		impressions += r.Documents[i].Impressions
	}
	rate := all / impressions
	for i := range gamma {
		gamma[i] = (attracted[i] + float64(prior*rate)) / (r.Documents[i].Impressions + prior)
	}
	return change
}

// connected returns an error for positions that no chain of documents connects with the first position.
func (l *Log) connected() error {
	parent := make([]int, len(l.positions))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := make(map[int]int, len(l.pairs)) // a position of each pair
	for _, c := range l.cells {
		if other, known := first[c.pair]; known {
			parent[root(c.position)] = root(other)
		} else {
			first[c.pair] = c.position
		}
	}
	var separate []string
	for i, place := range l.positions {
		if root(i) != root(0) {
			separate = append(separate, fmt.Sprint(place))
		}
	}
	if separate == nil {
		return nil
	}
	const most = 10
	if n := len(separate); n > most {
		separate = append(separate[:most], fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Errorf("position %s: %w", strings.Join(separate, ", "), ErrSeparate)
}
