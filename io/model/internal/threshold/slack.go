package threshold

import "math"

// slack is the number that Solr adds to every threshold: NODE_SPLIT_SLACK of
// org.apache.solr.ltr.model.MultipleAdditiveTreesModel.
const slack float32 = 1e-6

// Slack returns the threshold y for which Solr cuts at t: for every float32 x, x <= fl32(y + 1e-6f) if and
// only if x <= t. t must not be NaN.
//
// Some cuts are impossible, because float32 is finer there than the sums y + 1e-6f: many up to 2e-6, and a
// few others. Then ok is false, and y gives the nearest possible cut on the same side of 0 as t, or the
// higher one of two equally near cuts. The float32 values between that cut and t go to the wrong side; 0 is
// not among them. [SlackCut] returns the cut.
func Slack(t float64) (y float32, ok bool) {
	f := AtMost(t)
	if y = f - slack; SlackCut(y) == f {
		return y, true
	}
	y = lastAtMost(f)
	low, high := SlackCut(y), SlackCut(next32(y, 1))
	switch {
	case low == f:
		return y, true
	case float64(high)-t <= t-float64(low) && (t >= 0 || high < 0):
		return next32(y, 1), false
	}
	return y, false
}

// SlackCut returns fl32(y + 1e-6f), the number that Solr compares with: a value goes left if it is at most
// this number.
func SlackCut(y float32) float32 { return y + slack }

// lastAtMost returns the largest y with SlackCut(y) <= f. The sums are monotone in y, so a binary search over
// all float32 numbers finds it.
func lastAtMost(f float32) float32 {
	low, high := key(inf(-1)), key(inf(1))
	if SlackCut(inf(1)) <= f {
		return inf(1)
	}
	for low+1 < high { // SlackCut(low) <= f < SlackCut(high)
		middle := low + (high-low)/2
		if SlackCut(unkey(middle)) <= f {
			low = middle
		} else {
			high = middle
		}
	}
	return unkey(low)
}

// key numbers all float32 but NaN in ascending order; both zeros have number 0.
func key(f float32) int64 {
	bits := int64(math.Float32bits(f))
	if bits >= 1<<31 {
		return 1<<31 - bits
	}
	return bits
}

func unkey(k int64) float32 {
	if k < 0 {
		k = 1<<31 - k
	}
	return math.Float32frombits(uint32(k))
}
