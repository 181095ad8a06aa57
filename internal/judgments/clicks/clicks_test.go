package clicks

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/judgments"
)

func read(t *testing.T, text string) *Log {
	t.Helper()
	l, err := Read(strings.NewReader(text), "log.csv", ',')
	require.NoError(t, err)
	return l
}

// small has, by hand, 10 clicks in 20 impressions at position 1, and 2 in 10 at position 2.
const small = `qid,docid,position,clicks,impressions
q,a,1,8,10
q,b,1,2,10
q,b,2,1,5
q,c,2,1,5
`

func TestCOECByHand(t *testing.T) {
	r := read(t, small).COEC(1)
	assert.Equal(t, []Bias{{1, 1, 10, 20}, {2, 0.4, 2, 10}}, r.Positions)
	want := []float64{(8 + 1) / (10*0.5 + 1), (3 + 1) / (10*0.5 + 5*0.2 + 1), (1 + 1) / (5*0.2 + 1)}
	for i, v := range want {
		assert.InDelta(t, v, r.Documents[i].Value, 1e-15)
	}
}

// TestRowsAdd: rows are summed in any order, and many rows of one impression equal one row of many.
func TestRowsAdd(t *testing.T) {
	var b strings.Builder
	b.WriteString("query,doc,rank,click\n")
	for _, row := range []struct {
		doc                           string
		position, clicks, impressions int
	}{{"a", 1, 8, 10}, {"b", 1, 2, 10}, {"b", 2, 1, 5}, {"c", 2, 1, 5}} {
		for i := range row.impressions {
			click := 0
			if i < row.clicks {
				click = 1
			}
			fmt.Fprintf(&b, "q,%s,%d,%d\n", row.doc, row.position, click)
		}
	}
	assert.Equal(t, read(t, small).COEC(1), read(t, b.String()).COEC(1))
}

// world simulates users of the position-based model, with noisy rankings that mostly show better documents
// higher.
func world(seed uint64, impressions int) (text string, theta []float64, gamma map[string]float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	theta = []float64{1, 0.7, 0.5, 0.35, 0.25, 0.2, 0.15, 0.1}
	gamma = map[string]float64{}
	type count struct{ clicks, shown int }
	counts := map[string]*count{}
	var order []string
	for q := range 60 {
		scores := make([]float64, len(theta))
		for d := range scores {
			scores[d] = 0.02 + 0.9*rng.Float64()*rng.Float64()
			gamma[fmt.Sprintf("%d,%d", q, d)] = scores[d]
		}
		for range impressions {
			ranking := make([]int, len(theta))
			for d := range ranking {
				ranking[d] = d
			}
			key := make([]float64, len(theta)) // keys of a noisy but mostly correct ranking
			for d := range key {
				key[d] = scores[d] + 0.15*rng.NormFloat64()
			}
			for i := range ranking {
				for j := i; j > 0 && key[ranking[j]] > key[ranking[j-1]]; j-- {
					ranking[j], ranking[j-1] = ranking[j-1], ranking[j]
				}
			}
			for k, d := range ranking {
				name := fmt.Sprintf("%d,%d,%d", q, d, k+1)
				if counts[name] == nil {
					counts[name] = new(count)
					order = append(order, name)
				}
				counts[name].shown++
				if rng.Float64() < theta[k]*scores[d] {
					counts[name].clicks++
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString("qid,docid,position,clicks,impressions\n")
	for _, name := range order {
		fmt.Fprintf(&b, "%s,%d,%d\n", name, counts[name].clicks, counts[name].shown)
	}
	return b.String(), theta, gamma
}

// rootMeanSquare returns the error of the estimates after scaling them to fit best.
func rootMeanSquare(r *Result, gamma map[string]float64) float64 {
	xy, xx := 0.0, 0.0
	for _, e := range r.Documents {
		xy += e.Value * gamma[e.Query+","+e.Document]
		xx += e.Value * e.Value
	}
	sum := 0.0
	for _, e := range r.Documents {
		d := xy/xx*e.Value - gamma[e.Query+","+e.Document]
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(r.Documents)))
}

// TestSimulatedClicks: the position-based model recovers the simulation's position bias. Click-through
// rates do not, because better documents are shown higher.
func TestSimulatedClicks(t *testing.T) {
	text, theta, gamma := world(1, 2000)
	l := read(t, text)
	r, err := l.PositionBased(t.Context(), 1)
	require.NoError(t, err)
	for k, want := range theta {
		assert.InEpsilon(t, want, r.Positions[k].Value, 0.06, "position %d", k+1)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.PositionBased(canceled, 1)
	require.ErrorIs(t, err, context.Canceled)
	coec := l.COEC(1)
	assert.Less(t, coec.Positions[7].Value, 0.7*theta[7], "the correction by COEC is too strong")
	assert.Less(t, rootMeanSquare(r, gamma), 0.02)
	assert.Less(t, rootMeanSquare(r, gamma), 0.5*rootMeanSquare(coec, gamma))
	t.Logf("%d iterations; errors %.4f (position-based), %.4f (COEC)", r.Iterations, rootMeanSquare(r, gamma), rootMeanSquare(coec, gamma))
}

// likelihood returns the log-likelihood of a result.
func likelihood(l *Log, r *Result) float64 {
	sum := 0.0
	for _, c := range l.cells {
		p := r.Positions[c.position].Value * r.Documents[c.pair].Value
		sum += c.clicks*math.Log(p) + (c.impressions-c.clicks)*math.Log1p(-p)
	}
	return sum
}

// TestLikelihoodIsLargest: without a prior, no small change of any parameter increases the likelihood.
func TestLikelihoodIsLargest(t *testing.T) {
	text, _, _ := world(2, 300)
	l := read(t, text)
	r, err := l.PositionBased(t.Context(), 0)
	require.NoError(t, err)
	best := likelihood(l, r)
	change := func(v *float64) {
		for _, factor := range []float64{0.98, 1.02} {
			before := *v
			if *v *= factor; *v < 0.999 {
				assert.LessOrEqual(t, likelihood(l, r), best+1e-6)
			}
			*v = before
		}
	}
	for i := 1; i < len(r.Positions); i++ {
		change(&r.Positions[i].Value)
	}
	for i := range r.Documents {
		if r.Documents[i].Clicks > 0 {
			change(&r.Documents[i].Value)
		}
	}
}

func TestSeparatePositions(t *testing.T) {
	l := read(t, "qid,docid,position,click\nq,a,1,1\nq,a,2,0\nq,b,5,1\nq,c,5,0\n")
	_, err := l.PositionBased(t.Context(), 1)
	require.ErrorIs(t, err, ErrSeparate)
	require.ErrorContains(t, err, "position 5:")
	assert.Len(t, l.COEC(1).Documents, 3)
}

func TestGrades(t *testing.T) {
	r := &Result{}
	for i := range 100 {
		r.Documents = append(r.Documents, Estimate{Query: "q", Document: fmt.Sprint(i), Value: float64(i), Impressions: float64(i)})
	}
	r.Documents[99].Value = 1e6 // as if by luck
	grades := r.Judgments(5, 1).Judged["q"]
	assert.Len(t, grades, 99)
	for document, want := range map[string]float64{"1": 0, "19": 0, "20": 1, "50": 2, "70": 3, "97": 4, "99": 4} {
		assert.Equal(t, want, grades[document], document)
	}
	assert.Equal(t, 20.0, r.Judgments(0, 1).Judged["q"]["20"])
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"qid,docid,position,click\nq,a,0,1\n":                ErrPosition,
		"qid,docid,position,click\nq,a,first,1\n":            ErrPosition,
		"qid,docid,position,click\nq,a,99999,1\n":            ErrPosition,
		"qid,docid,position,click\nq,a,1,2\n":                ErrClicks,
		"qid,docid,position,click\nq,a,1,-1\n":               ErrClicks,
		"qid,docid,position,click\nq,a,1,yes\n":              ErrClicks,
		"qid,docid,position,click\nq,a,1,0\n":                ErrNoClicks,
		"qid,docid,position,clicks,impressions\nq,a,1,5,4\n": ErrClicks,
		"qid,docid,position,clicks,impressions\nq,a,1,0,0\n": ErrImpressions,
		"qid,docid,position,click\n,a,1,1\n":                 judgments.ErrEmpty,
		"qid,docid,place,click\nq,a,1,1\n":                   judgments.ErrColumns,
	} {
		_, err := Read(strings.NewReader(text), "log.csv", ',')
		require.ErrorIs(t, err, want, text)
		require.ErrorContains(t, err, "log.csv", text)
	}
	for _, text := range []string{"", "qid,docid,position,click\nq,a\n", "qid,docid,position,click\nq,\"a,1,1\n"} {
		_, err := Read(strings.NewReader(text), "log.csv", ',')
		require.ErrorContains(t, err, "log.csv", text)
	}
}

// FuzzRead: any log that can be read gives finite, nonnegative estimates.
func FuzzRead(f *testing.F) {
	f.Add(small, true)
	f.Add("query\tdoc\tpos\tclicked\nq\ta\t1\t1\n", false)
	f.Fuzz(func(t *testing.T, text string, comma bool) {
		separator := map[bool]rune{true: ',', false: '\t'}[comma]
		l, err := Read(strings.NewReader(text), "log.csv", separator)
		if err != nil {
			require.ErrorContains(t, err, "log.csv")
			return
		}
		for _, d := range l.COEC(1).Documents {
			require.True(t, d.Value >= 0 && !math.IsInf(d.Value, 0), "%+v", d)
			require.LessOrEqual(t, d.Clicks, d.Impressions)
		}
	})
}
