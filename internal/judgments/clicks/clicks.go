// Package clicks estimates from logs of clicks how attractive a document is for a query, corrected for the
// position where it was shown, since documents at the top get more clicks because more people look at them.
//
// A [Log] has rows of a query, a document, a position and the clicks of a number of impressions.
// [Log.COEC] and [Log.PositionBased] estimate the attractiveness of documents and the bias of positions.
//
// # COEC
//
// Clicks over expected clicks (V. Zhang and R. Jones, Comparing click logs and editorial labels for training
// query rewriting, 2007): the clicks of a document, divided by those that documents get on average at the
// positions where it was shown,
//
//	coec(q,d) = (Σ_k clicks(q,d,k) + s) / (Σ_k impressions(q,d,k)·ctr(k) + s)
//	ctr(k)    = clicks(k) / impressions(k)
//
// It assumes that documents of all positions are equally good on average. Where better documents are shown
// higher, ctr(k) falls for that reason too, and the correction is too strong.
//
// # Position-based model
//
// A click needs a look at the position and an attractive document, independently (M. Richardson, E.
// Dominowska, R. Ragno, Predicting clicks, 2007; A. Chuklin, I. Markov, M. de Rijke, Click Models for Web
// Search, 2015, §3.3 and §4.3):
//
//	P(click at k) = θ_k·γ_qd
//
// Both are estimated by expectation maximization. Only the products are determined, so that the largest θ is
// 1. θ_k can be separated from γ only if documents were shown at several positions. The error for positions
// that no chain of such documents connects with the first is [ErrSeparate].
//
// s, the prior of both, is a number of clicks (COEC) or of impressions with a click at the average rate
// (position-based model) by which pairs with few impressions shrink toward the mean.
package clicks

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/judgments"
)

// The errors of logs.
var (
	ErrPosition    = errors.New("not a position; it is a whole number from 1 to 10000")
	ErrClicks      = errors.New("not a number of clicks, from 0 to that of the impressions")
	ErrImpressions = errors.New("not a number of impressions; it is a whole number, 1 or more")
	ErrNoClicks    = errors.New("the log has no click")
	ErrSeparate    = errors.New("no documents were shown both there and at a position of the others, so that " +
		"their bias cannot be told from relevance; leave these rows out, or use click_model=coec")
)

// Names of the columns of a log, in any case, beside those of queries and documents in package judgments.
var (
	PositionColumns   = []string{"position", "rank", "pos"}
	ClickColumns      = []string{"clicks", "click", "clicked", "click_bool"}
	ImpressionColumns = []string{"impressions", "impression", "views"}
)

// mostPosition bounds positions, so that a wrong column is an error.
const mostPosition = 10000

// Log has the clicks of documents by position.
type Log struct {
	pairs     []pair // in the order in which they appear
	positions []int  // ascending
	cells     []cell // impressions of a pair at a position, in the order in which they appear
}

// pair is a document in a query.
type pair struct{ query, document string }

// cell has the impressions of a pair at a position.
type cell struct {
	pair, position      int // indexes
	clicks, impressions float64
}

// Read reads a log: CSV or TSV (by the separator) whose first line names the columns query, document,
// position and clicks, and perhaps impressions, which are 1 otherwise. Rows of the same document and position
// are added. path is for errors.
func Read(r io.Reader, path string, separator rune) (*Log, error) {
	t, err := judgments.NewTable(r, path, separator)
	if err != nil {
		return nil, err
	}
	query, document := t.Column(judgments.QueryColumns), t.Column(judgments.DocumentColumns)
	position, clicked, shown := t.Column(PositionColumns), t.Column(ClickColumns), t.Optional(ImpressionColumns)
	b := newBuilder()
	for t.Next() {
		impressions := 1
		if shown >= 0 {
			if impressions, err = strconv.Atoi(t.Cell(shown)); err != nil || impressions < 1 {
				return nil, t.Fail(fmt.Errorf("%.40q: %w", t.Cell(shown), ErrImpressions))
			}
		}
		clicks, err := strconv.Atoi(t.Cell(clicked))
		if err != nil || clicks < 0 || clicks > impressions {
			return nil, t.Fail(fmt.Errorf("%.40q: %w", t.Cell(clicked), ErrClicks))
		}
		place, err := strconv.Atoi(t.Cell(position))
		if err != nil || place < 1 || place > mostPosition {
			return nil, t.Fail(fmt.Errorf("%.40q: %w", t.Cell(position), ErrPosition))
		}
		if t.Cell(query) == "" || t.Cell(document) == "" {
			return nil, t.Fail(judgments.ErrEmpty)
		}
		b.add(pair{t.Cell(query), t.Cell(document)}, place, float64(clicks), float64(impressions))
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	l := b.log()
	for _, c := range l.cells {
		if c.clicks > 0 {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, ErrNoClicks)
}

// builder collects a log.
type builder struct {
	l      Log
	pairs  map[pair]int
	cells  map[[2]int]int // by pair and position
	places map[int]bool
}

func newBuilder() *builder {
	return &builder{pairs: map[pair]int{}, cells: map[[2]int]int{}, places: map[int]bool{}}
}

func (b *builder) add(p pair, position int, clicks, impressions float64) {
	number, known := b.pairs[p]
	if !known {
		number = len(b.l.pairs)
		b.pairs[p] = number
		b.l.pairs = append(b.l.pairs, p)
	}
	key := [2]int{number, position}
	at, known := b.cells[key]
	if !known {
		at = len(b.l.cells)
		b.cells[key], b.places[position] = at, true
		b.l.cells = append(b.l.cells, cell{pair: number, position: position})
	}
	b.l.cells[at].clicks += clicks
	b.l.cells[at].impressions += impressions
}

// log returns the log, with positions as indexes.
func (b *builder) log() *Log {
	l := &b.l
	for place := range b.places {
		l.positions = append(l.positions, place)
	}
	slices.Sort(l.positions)
	for i := range l.cells {
		l.cells[i].position, _ = slices.BinarySearch(l.positions, l.cells[i].position)
	}
	return l
}

// Estimate is the estimate for a document in a query.
type Estimate struct {
	Query, Document     string
	Value               float64 // COEC, or the attractiveness γ
	Clicks, Impressions float64
}

// Bias is the estimate for a position.
type Bias struct {
	Position            int
	Value               float64 // how often it is looked at, relative to the most examined position
	Clicks, Impressions float64
}

// Result has the estimates by a model.
type Result struct {
	Documents  []Estimate // in the order in which they appear in the log
	Positions  []Bias     // in ascending order
	Iterations int        // of expectation maximization
}

// totals returns a result with the numbers of clicks and impressions, without estimates.
func (l *Log) totals() *Result {
	r := &Result{Documents: make([]Estimate, len(l.pairs)), Positions: make([]Bias, len(l.positions))}
	for i, p := range l.pairs {
		r.Documents[i].Query, r.Documents[i].Document = p.query, p.document
	}
	for i, place := range l.positions {
		r.Positions[i].Position = place
	}
	for _, c := range l.cells {
		d, p := &r.Documents[c.pair], &r.Positions[c.position]
		d.Clicks += c.clicks
		d.Impressions += c.impressions
		p.Clicks += c.clicks
		p.Impressions += c.impressions
	}
	return r
}

// relative divides the values of positions by the largest one, which it returns.
func (r *Result) relative() float64 {
	largest := 0.0
	for _, p := range r.Positions {
		largest = math.Max(largest, p.Value)
	}
	for i := range r.Positions {
		r.Positions[i].Value /= largest
	}
	return largest
}

// COEC estimates clicks over expected clicks. prior is s, above 0.
func (l *Log) COEC(prior float64) *Result {
	r := l.totals()
	for i := range r.Positions {
		r.Positions[i].Value = r.Positions[i].Clicks / r.Positions[i].Impressions
	}
	expected := make([]float64, len(r.Documents))
	for _, c := range l.cells {
		expected[c.pair] += float64(c.impressions * r.Positions[c.position].Value)
	}
	for i := range r.Documents {
		r.Documents[i].Value = (r.Documents[i].Clicks + prior) / (expected[i] + prior)
	}
	r.relative()
	return r
}
