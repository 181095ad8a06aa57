package booster

import "math"

// How often leaves are searched together, and how many of them in vain, depends on the tree, and no formula
// gives it. The constants below fit the counts of trees of 7 to 511 leaves on 46,903 rows of bench/mslrgen:
//
//	leaves                 7   15   31   63  127  255  511
//	rounds               4.0  6.1  8.3 11.7 14.7 19.1 30.4
//	leaves' sums         6.0 15.7 41.0 89.2  156  272  525
//	columns counted, %     1    4   16   24   30   31   32   all rows, min_data_in_leaf=20
//
// A leaf's columns are counted if its best split leaves a side with fewer than min_data_in_leaf rows. How
// often that happens depends on the mean number of rows of a leaf.
const (
	roundsOfDoubling = 1.35 // per doubling of the leaves, while a round has fewer than batchLeaves
	inVain           = 27   // largest number of leaves that are searched in vain
	inVainFrom       = 90   // in a small tree of n leaves, about n²/inVainFrom leaves are searched in vain
	countedAtMost    = 0.5  // largest share of the searched leaves whose columns are counted
	countedHalf      = 0.02 // min_data_in_leaf over rows per leaf at which half of that share is counted
	countedFrom      = 30   // number of leaves of a tree below which fewer leaves are counted
)

// addMessages adds to f the messages that ranks exchange for a tree.
func (s Shape) addMessages(f *Footprint, p *Params, ranks int) {
	if ranks == 1 || p.NumLeaves < 2 {
		f.Searched = 2 * max(0, p.NumLeaves-1)
		return
	}
	m := counter{ranks: float64(ranks)}
	leaves, bins := float64(p.NumLeaves), float64(float64(s.Bins)*p.FeatureFraction)
	crowded := leaves * float64(p.MinDataInLeaf) / float64(max(1, s.Rows))
	sparse := p.lowestShare(s.Rows) < 1

	m.sums(3, 2) // extremes, mass, root
	m.sums(3, 1) // an interruption, numbers of rows
	m.sums(1, float64(3*leaves))
	if sparse {
		m.sums(1, 2)
		// leaves that are taken out again (minimum.go)
		m.sums(min(leaves/4, float64(leaves*crowded)), float64(3*leaves))
	}
	if p.DataSampleStrategy == GOSS {
		m.sums(8, 1<<16)
		m.sums(2, 1)
	}
	rounds := float64(roundsOfDoubling*math.Log2(leaves)) + leaves/batchLeaves
	small := leaves - 1 + min(inVain, float64(leaves*leaves)/inVainFrom) // leaves whose sums are built
	searched := 2 * small
	m.reduceScatter(rounds, small*(bins+m.ranks)/rounds)
	m.allGather(rounds, splitWords*searched/rounds)
	if p.MinDataInLeaf > 1 {
		share := float64(countedAtMost * crowded / (crowded + countedHalf) * min(1, leaves/countedFrom))
		counted := float64(rounds * (1 - math.Pow(1-share, searched/rounds))) // rounds with such a leaf
		m.sums(counted, share*searched*bins/float64(max(1, s.Columns))/max(1, counted))
		m.reduceScatter(counted, share*searched*bins/max(1, counted))
		m.allGather(counted, splitWords*share*searched/max(1, counted))
	}
	f.Collectives, f.Bytes, f.Sent = int(math.Round(m.collectives)), int(m.words*8), int(m.sent*8)
	f.Searched = int(searched)
}

// counter adds up collectives. It assumes the algorithms that send least: recursive halving, or rings.
type counter struct {
	ranks                    float64
	collectives, words, sent float64
}

// add adds n collectives of this many words. The rank sends each word this many times.
func (c *counter) add(n, words, times float64) {
	c.collectives += n
	c.words += float64(n * words)
	c.sent += float64(n * words * times)
}

func (c *counter) sums(n, words float64)          { c.add(n, words, 2*(c.ranks-1)/c.ranks) }
func (c *counter) reduceScatter(n, words float64) { c.add(n, words, (c.ranks-1)/c.ranks) }
func (c *counter) allGather(n, words float64)     { c.add(n, words, c.ranks-1) }
