package main

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// kind is one of the 25 kinds of values that MSLR computes for each stream; its column for a stream is
// 5·kind + stream. They are followed by eleven columns about the site.
type kind int

const (
	coveredTerms   kind = 0
	coveredRatio   kind = 1
	streamLength   kind = 2
	idfSum         kind = 3
	termFrequency  kind = 4  // five moments
	frequencyShare kind = 9  // five moments of term frequency over stream length
	tfIDF          kind = 14 // five moments
	allCovered     kind = 19
	vectorSpace    kind = 20
	bm25           kind = 21
	languageABS    kind = 22
	languageDIR    kind = 23
	languageJM     kind = 24
	numKinds       kind = 25
)

const numColumns = int(numKinds)*int(numStreams) + 11

// column returns the column of a kind and stream, counted from 0. Columns in files are counted from 1.
func column(k kind, s stream) int { return int(k)*int(numStreams) + int(s) }

// averageLength is the average length of a stream in the collection. BM25 needs it.
var averageLength = [numStreams]float64{body: 750, anchor: 5, title: 6.5, url: 8, whole: 770}

func (d *document) fillColumns(q query) {
	for s := range numStreams {
		d.fillCoverage(q, s)
		d.fillMoments(q, s)
		d.fillVectorSpace(q, s)
		d.fillBM25(q, s)
		d.fillLanguageModels(q, s)
	}
	copy(d.columns[column(numKinds, 0):], []float64{
		d.site.slashes, d.site.urlLength, d.site.inlinks, d.site.outlinks,
		d.site.pageRank, d.site.siteRank, d.site.quality1, d.site.quality2,
		d.site.queryClicks, d.site.clicks, d.site.dwell,
	})
}

func (d *document) set(k kind, s stream, value float64) { d.columns[column(k, s)] = value }

// fillCoverage counts the query terms that occur, and sums the inverse document frequencies of the query.
func (d *document) fillCoverage(q query, s stream) {
	covered, idfs := 0.0, 0.0
	for t, idf := range q.idf {
		idfs += idf
		if d.terms[t][s] > 0 {
			covered++
		}
	}
	n := float64(len(q.idf))
	d.set(coveredTerms, s, covered)
	d.set(coveredRatio, s, covered/n)
	d.set(streamLength, s, d.length[s])
	d.set(idfSum, s, idfs)
	if covered == n {
		d.set(allCovered, s, 1)
	}
}

// fillMoments summarizes the frequencies of the query terms: as counts, as shares of the stream, and
// weighted by inverse document frequency.
func (d *document) fillMoments(q query, s stream) {
	n := len(q.idf)
	frequency, share, weighted := make([]float64, n), make([]float64, n), make([]float64, n)
	for t, idf := range q.idf {
		frequency[t] = d.terms[t][s]
		share[t] = frequency[t] / max(d.length[s], 1)
		weighted[t] = frequency[t] * idf
	}
	d.setMoments(termFrequency, s, frequency)
	d.setMoments(frequencyShare, s, share)
	d.setMoments(tfIDF, s, weighted)
}

func (d *document) setMoments(first kind, s stream, values []float64) {
	for i, m := range moments(values) {
		d.set(first+kind(i), s, m)
	}
}

// moments returns sum, minimum, maximum, mean and variance.
func moments(values []float64) [5]float64 {
	n := float64(len(values))
	sum, least, most, deviations := 0.0, math.Inf(1), math.Inf(-1), 0.0
	for _, v := range values {
		sum += v
		least, most = min(least, v), max(most, v)
	}
	mean := sum / n
	for _, v := range values {
		deviations += float64((v - mean) * (v - mean))
	}
	return [5]float64{sum, least, most, mean, deviations / n}
}

// fillVectorSpace sets the product of the tf·idf vectors of query and document, divided by the norm of
// the query and by the square root of the length.
func (d *document) fillVectorSpace(q query, s stream) {
	product, norm := 0.0, 0.0
	for t, idf := range q.idf {
		product += float64(d.terms[t][s] * idf * idf)
		norm += float64(idf * idf)
	}
	d.set(vectorSpace, s, product/math.Sqrt(norm*max(d.length[s], 1)))
}

// fillBM25 sets BM25 with the usual k1 and b (Robertson and Zaragoza, The Probabilistic Relevance
// Framework, 2009, equation 3.15).
func (d *document) fillBM25(q query, s stream) {
	const k1, b = 1.2, 0.75
	norm := float64(k1 * (1 - b + float64(b*d.length[s]/averageLength[s])))
	sum := 0.0
	for t, idf := range q.idf {
		f := d.terms[t][s]
		sum += float64(idf * f * (k1 + 1) / (f + norm))
	}
	d.set(bm25, s, sum)
}

// fillLanguageModels sets the log likelihoods of the query under the three smoothed models of Zhai and
// Lafferty (A Study of Smoothing Methods for Language Models, TOIS 22, 2004, table I). A term's
// probability in the collection is e^-idf.
func (d *document) fillLanguageModels(q query, s stream) {
	const delta, mu, lambda = 0.7, 2000.0, 0.1
	length := max(d.length[s], 1)
	distinct := max(1, 0.55*d.length[s])
	abs, dir, jm := 0.0, 0.0, 0.0
	for t, idf := range q.idf {
		f, background := d.terms[t][s], exact.Exp(-idf)
		abs += ln(max(f-delta, 0)/length + float64(delta*distinct/length*background))
		dir += ln((f + float64(mu*background)) / (length + mu))
		jm += ln(float64((1-lambda)*f/length) + float64(lambda*background))
	}
	d.set(languageABS, s, abs)
	d.set(languageDIR, s, dir)
	d.set(languageJM, s, jm)
}

func ln(x float64) float64 { return float64(math.Ln2 * exact.Log2(x)) }
