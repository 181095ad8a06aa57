package grow

import "github.com/lambdamart/lambdamart/internal/reuse"

// ranking is a heap of the places of a leaf's cuts, the best one first: the larger gain comes first, and of
// equal gains the smaller column. If most columns are zero in nearly all rows, thousands of cuts are rejected
// one after the other because a side has too few rows, and a linear search for the next best cut would take
// most of the time.
type ranking struct {
	gains  []float64 // by place
	order  []int32   // columns by place
	places []int32   // the heap: places whose gain is above 0
}

// fill ranks the cuts of places by their gains. order are the columns of all places.
func (k *ranking) fill(places, order []int32, gain func(place int) float64) {
	k.gains, k.order, k.places = reuse.Slice(k.gains, len(order)), order, k.places[:0]
	for _, place := range places {
		if k.gains[place] = gain(int(place)); k.gains[place] > 0 {
			k.places = append(k.places, place)
		}
	}
	for i := len(k.places)/2 - 1; i >= 0; i-- {
		k.sink(i)
	}
}

// first returns the place of the best cut, -1 if no cut gains.
func (k *ranking) first() int {
	if len(k.places) == 0 {
		return -1
	}
	return int(k.places[0])
}

// change sets the gain of the first cut, and moves the cut to its new place.
func (k *ranking) change(gain float64) {
	last := len(k.places) - 1
	if gain > 0 {
		k.gains[k.places[0]] = gain
	} else {
		k.places[0] = k.places[last]
		k.places = k.places[:last]
	}
	k.sink(0)
}

// sink moves the entry at i down until no entry below comes before it.
func (k *ranking) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(k.places) {
			return
		}
		if child+1 < len(k.places) && k.before(child+1, child) {
			child++
		}
		if !k.before(child, i) {
			return
		}
		k.places[i], k.places[child] = k.places[child], k.places[i]
		i = child
	}
}

// before reports whether entry i comes before entry j.
func (k *ranking) before(i, j int) bool {
	a, b := k.places[i], k.places[j]
	return k.gains[a] > k.gains[b] || k.gains[a] == k.gains[b] && k.order[a] < k.order[b]
}
