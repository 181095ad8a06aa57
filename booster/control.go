package booster

import (
	"math"
	"strconv"
	"strings"
)

// control chooses the share of the rows that each tree grows on, from what trees of different shares gain on
// queries that took no part in them (judge.go).
//
// The logarithm of a share to base 2 is its level: 0 is every row, and -5 is 1 row of 32. Rounds alternate
// between one level above a center and one below. How much a level pays is a slope,
//
//	Σ Δu·Δy / Σ Δu²        over the rounds that lie between two others
//
// where Δu is the round's level less the mean of theirs, and Δy is what its tree gains on judging queries
// less the mean of theirs, as a part of what such trees gain on the rows that they are fitted to. Earlier
// rounds weigh less. The center rises while a level pays more than its price, and falls while it pays less:
// the faster, the surer that is. At the highest and the lowest level, most rounds are at this level, and a
// few are trials two levels from it. Noise of the first rounds can make the center fall wrongly, which costs
// quality and not only time. So at the lowest level trials are frequent, until some of them make the slope
// clearly less than the price.
//
// The price has two parts. One is the work that a level adds to an iteration (work.go): where a tree of twice
// as many rows takes twice as long, it must gain more than where most of the time goes into gradients. The
// other is a part of the mean gain of all trees so far. So where late trees hardly gain on other queries, as
// with noisy labels, their share falls, however uncertain the slope is.
type control struct {
	lowest  float64   // level
	levels  []float64 // of the trees so far
	center  float64
	recent  [3]verdict // the latest rounds, the last one at the end
	cross   float64    // Σ Δu·Δy
	square  float64    // Σ Δu²
	noise   float64    // weighted sum of the squares of Δy - slope·Δu
	noises  float64    // sum of these weights
	total   float64    // gain of all judged trees
	judged  float64    // their number
	errors  float64    // standard errors by which the latest slope is above the price
	below   float64    // slopes in a row that were learned near the lowest level
	work    load       // of an iteration (work.go)
	highest float64    // level from which on every row is as fast
}

// verdict is what a round has measured.
type verdict struct {
	level  float64
	honest float64 // gain on judging queries
	// that of the same values on the rows that they were fitted to, for as many rows; 0: not judged
	fitted float64
}

// grown returns the level of the rows that the tree grew on: without judging queries, every row is fewer.
func (v verdict) grown() float64 { return min(v.level, levelOfOthers) }

const (
	firstCenter = -3
	priceOfGain = 0.001 // price of a level, in mean gains
	priceOfWork = 0.03  // part of the gain that a level must add for each part by which it adds work
	memory      = 0.95  // factor of the weights of earlier rounds, for two rounds that are two levels apart
	pace        = 0.125 // levels by which the center moves for each standard error
	fastest     = 2     // most standard errors that count
	trialEvery  = 12    // rounds; three times as many after the first trials
	trialOften  = 4     // rounds, at the lowest level until some trials make sure that more rows do not pay
	fewTrials   = 4     // slopes to learn at the lowest level before trials there become rare
	sure        = 2     // standard errors below the price, from which on more rows surely do not pay
	nearEnd     = 0.25  // levels
	// levelOfOthers is the level of all rows that do not judge.
	levelOfOthers = -0.415
	mostSampled   = -1.25 // highest level other than 0: samples of more rows take longer than every row

	// What the slope and its noise are before the first round, as if rounds had been seen: the price, and a
	// tenth of a gain.
	priorSquare = 8
	priorNoises = 4
	priorNoise  = 0.1 * 0.1
)

func newControl(lowest float64) *control {
	return &control{lowest: lowest, center: min(0, max(firstCenter, lowest+1))}
}

// next returns the level of the next round, and whether its tree is judged.
func (c *control) next() (level float64, judges bool) {
	switch {
	case c.highest <= c.lowest:
		return 0, false
	case c.center <= c.lowest+nearEnd:
		return c.atEnd(c.lowest, min(0, c.lowest+2), c.below < fewTrials || c.errors > -sure)
	case c.center-1 > min(c.highest, mostSampled): // both levels would be every row
		return c.atEnd(0, max(c.lowest, min(-2, c.highest)), false)
	case len(c.levels)%2 == 0:
		return c.snapped(c.center - 1), true
	}
	return c.snapped(c.center + 1), true
}

// atEnd is like next, where most rounds are at the highest or the lowest level. A trial is at the other
// level, and the rounds before and after it are judged too.
func (c *control) atEnd(end, other float64, often bool) (level float64, judges bool) {
	every, number := trialEvery, len(c.levels)
	due := number < 2*every || number/every%3 == 1 // later, two trials of three are saved
	if often {
		every, due = trialOften, true
	}
	phase, trial := number%every, every/2
	if due && phase == trial {
		return c.snapped(other), true
	}
	return end, due && phase >= trial-1 && phase <= trial+1
}

// giveUp lets all further trees grow on every row, and reports whether there was another choice.
func (c *control) giveUp() bool {
	if c == nil || c.highest <= c.lowest {
		return false
	}
	c.highest = c.lowest
	return true
}

// snapped returns the nearest multiple of levelUnit, or 0 if every row would be as fast.
func (c *control) snapped(level float64) float64 {
	if level > min(c.highest, mostSampled) {
		return 0
	}
	return max(c.lowest, math.Round(level/levelUnit)*levelUnit)
}

// see moves the center by what a round has measured.
func (c *control) see(round verdict) {
	c.levels = append(c.levels, round.level)
	c.recent = [3]verdict{c.recent[1], c.recent[2], round}
	if round.fitted == 0 {
		return
	}
	c.total += round.honest
	c.judged++
	before, at, after := c.recent[0], c.recent[1], c.recent[2]
	scale := (before.fitted + float64(2*at.fitted) + after.fitted) / 4
	step := at.grown() - (before.grown()+after.grown())/2
	if before.fitted == 0 || at.fitted == 0 || step == 0 || !(scale > 0) {
		return
	}
	c.learn(step, (at.honest-(before.honest+after.honest)/2)/scale, c.price()/scale)
}

// price returns the gain that a level must add, in the range of the levels of the latest rounds.
func (c *control) price() float64 {
	before, at, after := c.recent[0], c.recent[1], c.recent[2]
	gain := (before.honest + float64(2*at.honest) + after.honest) / 4
	low, high := min(before.level, at.level, after.level), max(before.level, at.level, after.level)
	return float64(priceOfWork*max(0, gain)*c.work.growth(low, high)) +
		float64(priceOfGain*max(0, c.total)/c.judged)
}

// learn moves the center by a step Δu and a difference Δy, given the price.
func (c *control) learn(step, difference, price float64) {
	keep := 1 - float64((1-memory)*min(1, float64(step*step)/4))
	c.cross = float64(c.cross*keep) + float64(step*difference)
	c.square = float64(c.square*keep) + float64(step*step)
	slope := (c.cross + float64(priorSquare*price)) / (c.square + priorSquare)
	rest := difference - float64(slope*step)
	c.noise, c.noises = float64(c.noise*keep)+float64(rest*rest), float64(c.noises*keep)+1
	variance := (c.noise + priorNoise*priorNoises) / (c.noises + priorNoises)
	c.errors = (slope - price) / math.Sqrt(variance/(c.square+priorSquare))
	c.center = min(0, max(c.lowest, c.center+float64(pace*min(fastest, max(-fastest, c.errors)))))
	if c.below++; c.center > c.lowest+nearEnd {
		c.below = 0
	}
}

// shares returns the shares of the first trees; nil if c is nil.
func (c *control) shares(trees int) (all []float64) {
	for number := 0; c != nil && number < min(trees, len(c.levels)); number++ {
		all = append(all, shareOf(c.levels[number]))
	}
	return all
}

// sharesText returns shares as text, such as ".125,.42,1*20": 20 trees were grown on every row.
func sharesText(shares []float64) string {
	var text []string
	for from := 0; from < len(shares); {
		to := from
		for to < len(shares) && shares[to] == shares[from] {
			to++
		}
		share := strconv.FormatFloat(shares[from], 'g', 3, 64)
		if to > from+1 {
			share += "*" + strconv.Itoa(to-from)
		}
		text, from = append(text, share), to
	}
	return strings.Join(text, ",")
}

// fields returns all of the state except the levels, for checkpoints.
func (c *control) fields() []*float64 {
	fields := []*float64{&c.work.share, &c.work.fixed, &c.work.every, &c.highest,
		&c.center, &c.cross, &c.square, &c.noise, &c.noises, &c.total, &c.judged, &c.errors, &c.below}
	for i := range c.recent {
		fields = append(fields, &c.recent[i].level, &c.recent[i].honest, &c.recent[i].fitted)
	}
	return fields
}

// restore sets the state to that of a checkpoint, and reports whether it fits.
func (c *control) restore(state, levels []float64) bool {
	if c == nil {
		return len(state) == 0
	}
	fields := c.fields()
	if len(state) != len(fields) {
		return false
	}
	for i, field := range fields {
		*field = state[i]
	}
	c.levels = levels
	return true
}
