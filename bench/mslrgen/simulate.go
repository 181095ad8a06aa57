package main

import (
	"math"
	"math/rand/v2"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// stream is one of the five texts of a document.
type stream int

// The streams in MSLR's order. The last one consists of the other four.
const (
	body stream = iota
	anchor
	title
	url
	whole
	numStreams
)

// query is the simulated need of a user.
type query struct {
	idf          []float64 // of each term
	ease         float64   // how relevant the results are on average
	navigational bool      // the user has one site in mind
}

// document is one result of a query. The latent values are standard normal.
type document struct {
	topicality float64 // latent: how well it matches the topic of the query
	quality    float64 // latent: how good it is, whatever the query
	authority  float64 // latent: how well known it is

	length [numStreams]float64
	terms  [][numStreams]float64 // occurrences of each query term in each stream
	site   site

	columns [numColumns]float64
	utility float64 // determines the grade
}

// site holds the properties of a document other than its text.
type site struct {
	slashes, urlLength    float64
	inlinks, outlinks     float64
	pageRank, siteRank    float64
	quality1, quality2    float64
	queryClicks, clicks   float64
	dwell                 float64 // seconds, 0 if nobody clicked
	homePage, longForgone bool
}

// simulateQuery returns the documents of one query, in no particular order.
func simulateQuery(r random, meanDocs float64) []document {
	const spread = 0.55 // of the logarithm of the number of documents
	median := meanDocs / exact.Exp(spread*spread/2)
	n := math.Floor(r.logNormal(median, spread) + 0.5)
	docs := make([]document, int(min(max(n, 1), 1251))) // MSLR's largest query has 1,251
	q := newQuery(r)
	for i := range docs {
		docs[i].simulate(r, q)
		docs[i].fillColumns(q)
		docs[i].judge(r, q)
	}
	return docs
}

func newQuery(r random) query {
	q := query{
		idf:          make([]float64, 1+int(r.count(1.4))),
		ease:         0.4 * r.normal(),
		navigational: r.uniform() < 0.2,
	}
	for t := range q.idf {
		q.idf[t] = 1.5 + float64(10*r.uniform())
	}
	return q
}

// simulate draws a document for the query.
func (d *document) simulate(r random, q query) {
	d.topicality, d.quality = r.normal(), r.normal()
	d.authority = float64(0.6*d.quality) + float64(0.8*r.normal())
	d.write(r, q)
	d.publish(r)
	d.visit(r)
}

// write draws the lengths of the streams and the occurrences of the terms.
func (d *document) write(r random, q query) {
	d.length = [numStreams]float64{
		body:   math.Floor(r.logNormal(480, 0.95)),
		anchor: math.Floor(r.logNormal(exact.Exp(float64(1.5*d.authority)-1.1), 0.8)),
		title:  2 + r.count(4.5),
		url:    3 + r.count(5),
	}
	share := [numStreams]float64{ // of the words of a stream that are one common query term
		body:   0.012 * exact.Exp(0.6*d.topicality),
		anchor: 0.15 * exact.Exp(0.5*d.topicality),
		title:  0.11 * exact.Exp(0.7*d.topicality),
		url:    0.05 * exact.Exp(0.6*d.topicality),
	}
	d.terms = make([][numStreams]float64, len(q.idf))
	for t, idf := range q.idf {
		burst := r.logNormal(1, 0.5) * (1.5 - float64(0.1*idf)) // words come in bursts, rare words less often
		for s := body; s < whole; s++ {
			d.terms[t][s] = min(r.count(d.length[s]*share[s]*burst), d.length[s])
			d.terms[t][whole] += d.terms[t][s]
		}
	}
	for s := body; s < whole; s++ {
		d.length[whole] += d.length[s]
	}
}

// publish draws the document's place in the web: its address, links and ranks.
func (d *document) publish(r random) {
	s := &d.site
	s.slashes = 1 + r.count(2.2)
	s.homePage = s.slashes == 1
	s.longForgone = r.uniform() < 0.06
	s.urlLength = math.Floor(14 + float64(9*s.slashes) + float64(10*r.uniform()))
	s.inlinks = math.Floor(r.logNormal(exact.Exp(1.3+float64(1.6*d.authority)), 0.7))
	s.outlinks = r.count(r.logNormal(3, 0.9))
	s.pageRank = math.Floor(r.logNormal(20000*exact.Exp(0.5*d.authority), 0.3))
	s.siteRank = math.Floor(r.logNormal(14000*exact.Exp(0.4*d.authority), 0.4))
	s.quality1 = math.Floor(r.logistic(128, d.quality, 0.7))
	s.quality2 = math.Floor(r.logistic(255, -0.7*d.quality, 1.0))
}

// logistic draws from (0, top): top times the logistic function of x plus noise.
func (r random) logistic(top, x, noise float64) float64 {
	return top / (1 + exact.Exp(-(x + float64(noise*r.normal()))))
}

// visit draws the clicks of users on the document and their time on it.
func (d *document) visit(r random) {
	s := &d.site
	if s.longForgone {
		return
	}
	if r.uniform() < 0.22+float64(0.1*d.topicality) {
		s.queryClicks = math.Floor(r.logNormal(exact.Exp(1+float64(0.9*d.topicality)+float64(0.5*d.quality)), 1.2))
	}
	s.clicks = s.queryClicks + math.Floor(r.logNormal(exact.Exp(1.2*d.authority), 1.0))
	if s.clicks > 0 {
		s.dwell = r.logNormal(20*exact.Exp(0.5*d.quality), 0.6)
	}
}

// judge sets the utility from the properties that a human judge would see: the match of the text, with
// diminishing returns; quality, which only counts for a document on the topic; the clicks of users; and, for
// navigational queries, whether it is the home page of a well-known site. The noise, which no column reveals,
// has the standard deviation 0.45.
func (d *document) judge(r random, q query) {
	covered := d.columns[column(coveredRatio, title)]
	match := d.columns[column(bm25, whole)] / float64(6*len(q.idf))
	u := q.ease + float64(0.9*saturate(2*(match-0.8))) + float64(0.5*covered)
	u += float64(0.45 * d.quality * saturate(d.topicality+0.5))
	u += float64(0.5 * saturate(0.3*d.site.queryClicks))
	if q.navigational && d.site.homePage {
		u += float64(0.8*covered) + float64(0.7*saturate(d.authority))
	}
	if d.length[body] < 100 || d.site.longForgone {
		u -= 0.4
	}
	d.utility = u + float64(0.45*r.normal())
}

// saturate maps x to (-1, 1), monotonically.
func saturate(x float64) float64 { return x / (1 + math.Abs(x)) }

// gradeStart holds the utilities at which the grades 1 to 4 begin: the quantiles, over 2,000 queries of seed
// 1, that give the shares of MSLR-WEB30K, which are 51, 33, 13, 2 and 1 percent.
var gradeStart = [...]float64{0.77, 1.51, 2.19, 2.55}

func grade(utility float64) int {
	g := 0
	for g < len(gradeStart) && utility >= gradeStart[g] {
		g++
	}
	return g
}

// random draws from the distributions that the simulation needs. The generators of math/rand/v2 are
// specified to the bit. Its NormFloat64 is not used because it calls math.Exp and math.Log, which
// differ between CPUs.
type random struct{ pcg *rand.PCG }

// newRandom returns the generator of one query. Each query has its own, so one more document in a query does
// not change the next query.
func newRandom(seed uint64, query int) random {
	return random{rand.NewPCG(seed, uint64(query))}
}

// uniform draws from [0, 1).
func (r random) uniform() float64 { return float64(r.pcg.Uint64()>>11) * 0x1p-53 }

// normal draws from the standard normal distribution by Marsaglia's polar method (Marsaglia and Bray,
// A convenient method for generating normal variables, SIAM Review 6, 1964).
func (r random) normal() float64 {
	for {
		u, v := 2*r.uniform()-1, 2*r.uniform()-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return u * math.Sqrt(-2*math.Ln2*exact.Log2(s)/s)
		}
	}
}

// logNormal draws from the log-normal distribution with the given median, whose logarithm has the
// standard deviation sigma.
func (r random) logNormal(median, sigma float64) float64 {
	return median * exact.Exp(sigma*r.normal())
}

// count draws from the Poisson distribution. If the mean is small, it multiplies uniform numbers until the
// product is below e^-mean (Knuth, The Art of Computer Programming, volume 2, 3.4.1); otherwise it rounds a
// normal number.
func (r random) count(mean float64) float64 {
	if mean > 40 {
		return max(0, math.Floor(mean+float64(math.Sqrt(mean)*r.normal())+0.5))
	}
	n := 0.0
	for p, limit := r.uniform(), exact.Exp(-mean); p > limit; p *= r.uniform() {
		n++
	}
	return n
}
