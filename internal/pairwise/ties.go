package pairwise

import "math"

// Ties are the documents of a ranking that have equal scores. A model should not learn from their order in
// the file. Therefore every order of them counts as equally likely, and the weight of a pair is the mean over
// all orders. Let T be the truncation level, D the discount of a rank, and a group the m documents with the
// same score, at the ranks from first to end-1:
//
//	both in one group        1/(m(m-1)) · Σ_{r≠s in the group, min(r,s) < T} |D_r - D_s|
//	high group A, low group B    1/m_A · Σ_{r in A, r < T} (D_r - mean of D over B)
//
// times the difference of gains, as for documents without ties.
type Ties struct {
	groups     []Group   // those of several documents, from the first rank down
	gain       []float64 // by rank, where there is a group that reaches into the first ranks
	rest       []float64 // gains below a group
	discounts  []float64 // by rank
	truncation int
}

// Group is a run of ranks whose documents have equal scores.
type Group struct {
	First, End int     // ranks from First to End-1
	Discount   float64 // mean over its ranks
	Share      float64 // of its ranks that are below the truncation level
	Upper      float64 // mean discount of those ranks; 0 if there are none
	Within     float64 // mean weight of two of its documents, per difference of gains
}

// Find sets t to the groups of a ranking by [Ranking.Rank] with the gains, and reports whether there are any.
// The ranking then does not depend on the order of documents in the file, except for documents with equal
// score and gain. gains are by index, discounts by rank.
func (t *Ties) Find(r *Ranking, gains, discounts []float64, truncation int) bool {
	t.groups, t.discounts, t.truncation = t.groups[:0], discounts, truncation
	if !r.equal {
		return false
	}
	scores := r.Score
	for rank := 1; rank < len(scores); rank++ {
		if scores[rank] == scores[rank-1] {
			rank = t.add(r, gains, rank-1)
		}
	}
	return len(t.groups) > 0
}

// add adds the group that begins at a rank, and returns its end.
func (t *Ties) add(r *Ranking, gains []float64, first int) (end int) {
	end = first + 2
	for end < len(r.Score) && r.Score[end] == r.Score[first] {
		end++
	}
	t.groups = append(t.groups, Group{First: first, End: end})
	t.groups[len(t.groups)-1].weigh(t.discounts, t.truncation)
	if first >= t.truncation { // only the mean discount counts
		return end
	}
	if len(t.gain) < len(r.Order) {
		t.gain = make([]float64, 2*len(r.Order))
	}
	for rank := first; rank < end; rank++ {
		t.gain[rank] = gains[r.Order[rank]]
	}
	return end
}

// weigh sets the weights of a group of at least two ranks.
func (g *Group) weigh(discounts []float64, truncation int) {
	first, end := g.First, g.End
	g.Discount = mean(discounts[first:end])
	upper, size := min(end, truncation), end-first
	if upper <= first {
		return
	}
	g.Share, g.Upper = 1, g.Discount
	if upper < end {
		g.Share, g.Upper = float64(upper-first)/float64(size), mean(discounts[first:upper])
	}
	if size == 2 && upper == end {
		g.Within = discounts[first] - discounts[first+1]
		return
	}
	sum, below := 0.0, 0.0 // Σ_{r<s} (D_r - D_s), and Σ D of the ranks after r
	for r := end - 1; r >= first; r-- {
		if r < truncation {
			sum += float64(float64(end-1-r)*discounts[r]) - below
		}
		below += discounts[r]
	}
	g.Within = 2 * float64(float64(sum*reciprocal(size))*reciprocal(size-1))
}

// reciprocals are 1/n for the sizes of most groups, to avoid divisions.
var reciprocals = func() (all [64]float64) {
	for n := range all {
		all[n] = 1 / float64(n)
	}
	return all
}()

// reciprocal returns 1/n.
func reciprocal(n int) float64 {
	if n < len(reciprocals) {
		return reciprocals[n]
	}
	return 1 / float64(n)
}

// mean returns the mean of one or more values.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return float64(sum * reciprocal(len(values)))
}

// upper returns the number of ranks whose documents may be among the first ranks.
func (t *Ties) upper() int { return max(t.truncation, t.of(t.truncation-1).End) }

// change returns the weight of the documents at ranks i < j for a difference of gains of 1.
func (t *Ties) change(i, j int) float64 {
	upper, lower := t.of(i), t.of(j)
	if upper == lower {
		return upper.Within
	}
	return float64(upper.Share * (upper.Upper - lower.Discount))
}

// of returns the group of a rank, which may have only this rank.
func (t *Ties) of(rank int) Group {
	for _, g := range t.groups {
		if g.First <= rank && rank < g.End {
			return g
		}
	}
	d := t.discounts[min(rank, len(t.discounts)-1)]
	return Group{First: rank, End: rank + 1, Discount: d, Share: 1, Upper: d}
}

// Pairs is [Documents.Pairs] with the weights of ties, for documents that were filled by the
// ranking. Documents of equal score and gain get equal sums, in every bit, so that the sums of a document
// do not depend on the order of the file.
//
// Pairs within a group, whose scores are equal, are added by one formula for the whole group. Pairs of
// different groups are added by the kernel, at the mean discounts of the groups. If the truncation level is
// within a group, the kernel processes each gain of that group separately.
func (t *Ties) Pairs(d *Documents, truncation int, offset float64) (sum float64) {
	return t.pairs(best, d, truncation, offset)
}

func (t *Ties) pairs(by kernel, d *Documents, truncation int, offset float64) (sum float64) {
	sum, part := t.begin(d, offset)
	if part != nil {
		truncation = part.First
	}
	sum += d.pairs(by, truncation, offset)
	if part != nil {
		sum += t.part(by, d, part, offset)
	}
	t.finish(d.lambda, d.hessian)
	return sum
}

// begin adds the pairs within groups, sets discounts to the means of groups, and returns the sum of |x|, and
// the group in which the truncation level ends, if there is one.
func (t *Ties) begin(d *Documents, offset float64) (sum float64, part *Group) {
	for n := range t.groups {
		g := &t.groups[n]
		setAll(d.discount[g.First:g.End], g.Discount)
		sum += t.within(g, offset, d.lambda[g.First:g.End], d.hessian[g.First:g.End])
		if g.Share > 0 && g.Share < 1 {
			part = g
		}
	}
	return sum, part
}

// parted reports whether the truncation level ends in a group.
func (t *Ties) parted() bool {
	for n := range t.groups {
		if share := t.groups[n].Share; share > 0 && share < 1 {
			return true
		}
	}
	return false
}

// finish makes the sums of documents with equal score and gain equal.
func (t *Ties) finish(lambda, hessian []float64) {
	for n := range t.groups {
		if t.groups[n].Share > 0 { // for the other groups the kernel treats all documents alike
			t.share(&t.groups[n], lambda, hessian)
		}
	}
}

// within adds the pairs of a group, whose gains descend, to its sums, and returns the sum of |x|. All have
// equal scores, so that rho is 1/2; with w = Within/offset, document k of m has
//
//	λ_k = -w/2·Σ_j (gain_k - gain_j),  h_k = w/4·Σ_j |gain_k - gain_j|
//
// and both sums follow from those of the document before.
func (t *Ties) within(g *Group, offset float64, lambda, hessian []float64) (sum float64) {
	if g.Share == 0 || t.gain[g.First] == t.gain[g.End-1] {
		return 0
	}
	gains := t.gain[g.First:g.End]
	w := g.Within / offset
	if len(gains) == 2 {
		x := float64(float64(w/2) * (gains[0] - gains[1]))
		lambda[0] -= x
		lambda[1] += x
		hessian[0] += float64(x / 2)
		hessian[1] += float64(x / 2)
		return x
	}
	size, more, apart := float64(len(gains)), 0.0, 0.0
	for _, gain := range gains {
		more += gains[0] - gain
	}
	apart = more
	for k := range gains {
		if k > 0 {
			step := gains[k-1] - gains[k]
			more -= float64(size * step)
			apart += float64(step * (float64(2*k) - size))
		}
		lambda[k] -= float64(float64(w/2) * more)
		hessian[k] += float64(float64(w/4) * max(apart, 0))
		sum += max(apart, 0)
	}
	return float64(float64(w/4) * sum)
}

// part adds the pairs of a group in which the truncation level ends with all lower ranks, and returns
// the sum of |x|. It must be called last, because it overwrites gains: a pair's weight is multiplied by
// multiplying its gains.
func (t *Ties) part(by kernel, d *Documents, g *Group, offset float64) (sum float64) {
	t.rest = append(t.rest[:0], d.gain[g.End:]...)
	setAll(d.gain[:g.End], math.NaN())
	for rank := g.First; rank < g.End && !d.Stop.At(rank, d.n); {
		end := t.cell(rank, g.End)
		o := own{offset: offset, odds: d.odds[rank], score: d.score[rank], discount: g.Upper}
		times := float64(float64(end-rank) * g.Share)
		o.gain = float64(times * t.gain[rank])
		for i, gain := range t.rest {
			d.gain[g.End+i] = float64(times * gain)
		}
		lambda, hessian, magnitude := d.with(by, g.End-1, &o)
		for size := float64(end - rank); rank < end; rank++ {
			d.lambda[rank] -= lambda / size
			d.hessian[rank] += hessian / size
		}
		sum += magnitude
	}
	return sum
}

// with adds the pairs of o with all documents after a rank, and returns o's lambda, its Hessian and the sum
// of |x|. The gains of the documents up to that rank must be NaN.
func (d *Documents) with(by kernel, rank int, o *own) (lambda, hessian, sum float64) {
	if by != inGo {
		return d.withInVectors(by, rank, o)
	}
	d.lists.forget()
	p := d.lists.of(d.gain, rank, o.gain)
	o.addBelow(&d.fields, p.below)
	o.addAbove(&d.fields, p.above)
	below, above := total(&o.lambdaBelow), total(&o.lambdaAbove)
	return below + above, total(&o.hessianBelow) + total(&o.hessianAbove), below - above
}

// withInVectors temporarily replaces the document of that rank by o while its pairs are added.
func (d *Documents) withInVectors(by kernel, rank int, o *own) (lambda, hessian, sum float64) {
	odds, score, discount := d.odds[rank], d.score[rank], d.discount[rank]
	d.gain[rank], d.odds[rank], d.score[rank], d.discount[rank] = o.gain, o.odds, o.score, o.discount
	t := d.task(rank, rank+1, o.offset)
	by.add(d, &t)
	d.gain[rank], d.odds[rank], d.score[rank], d.discount[rank] = math.NaN(), odds, score, discount
	return d.own[2*rank], d.own[2*rank+1], t.sum
}

// cell returns the end of the ranks of a group that have the gain of rank first.
func (t *Ties) cell(first, end int) int {
	for rank := first + 1; rank < end; rank++ {
		if t.gain[rank] != t.gain[first] {
			return rank
		}
	}
	return end
}

// share sets the sums of documents with equal score and gain, which differ in last bits, to their mean.
func (t *Ties) share(g *Group, lambda, hessian []float64) {
	for first := g.First; first < g.End; {
		end := t.cell(first, g.End)
		if end > first+1 {
			setAll(lambda[first:end], mean(lambda[first:end]))
			setAll(hessian[first:end], mean(hessian[first:end]))
		}
		first = end
	}
}

func setAll(values []float64, v float64) {
	for i := range values {
		values[i] = v
	}
}
