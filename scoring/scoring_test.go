package scoring_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/trec"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

var (
	_ scoring.Model = (*tree.Scorer)(nil)
	_ scoring.Model = (*tree.Ensemble)(nil)
	_ scoring.Model = (*nnbaseline.Model)(nil)
)

// weighted is a model whose score is the sum of number times value over all features. It refuses rows whose
// feature 1 is -1.
type weighted struct{ features int }

func (m weighted) NumFeatures() int       { return m.features }
func (m weighted) FeatureNames() []string { return wording.ColumnNames(m.features) }
func (m weighted) UsedFeatures() []int    { return []int{1, m.features - 1} }

func (m weighted) score(row []float64) float64 {
	sum := 0.0
	for f, v := range row {
		sum += float64(float64(f) * v)
	}
	return sum
}

func (m weighted) Score(dst, rows []float64) error {
	for i := range dst {
		row := rows[i*m.features : (i+1)*m.features]
		if row[1] == -1 {
			return &refusal{i}
		}
		dst[i] = m.score(row)
	}
	return nil
}

type refusal struct{ row int }

func (r *refusal) Error() string                     { return "row " + strconv.Itoa(r.row) + " is refused" }
func (r *refusal) Renumber(number func(row int) int) { r.row = number(r.row) }

// rowsOf makes sparse rows of 1 to 5 features, in queries of 7 documents.
func rowsOf(n int) (text string, dense [][]float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d qid:%d", i%3, i/7)
		row := make([]float64, 6)
		for f := 1; f < len(row); f++ {
			if rng.IntN(3) > 0 {
				row[f] = float64(rng.IntN(100)) / 8
				fmt.Fprintf(&b, " %d:%v", f, row[f])
			}
		}
		b.WriteString("\n")
		dense = append(dense, row)
	}
	return b.String(), dense
}

// open writes LETOR text to a file and opens it.
func open(t *testing.T, text string, opts data.Options) dataset.File {
	t.Helper()
	f, err := data.Open(aid.File(t, "data.txt", text), opts)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// lengths are around the size of a batch, and large enough for several blocks of the file.
var lengths = []int{1, scoring.BatchRows - 1, scoring.BatchRows, scoring.BatchRows + 1,
	3*scoring.BatchRows + 5, 30_000}

func TestEveryWayComputesWhatTheModelSays(t *testing.T) {
	for _, n := range lengths {
		text, dense := rowsOf(n)
		for _, workers := range []int{1, 3} {
			for _, features := range []int{3, 6, 9} { // fewer than in the data, as many, and more
				m := weighted{features}
				want := make([]float64, n)
				for i, row := range dense {
					want[i] = m.score(append(make([]float64, 0, 9), row...)[:min(features, 6)])
				}
				f := open(t, text, data.Options{Workers: workers})
				var got []float64
				streamed, err := scoring.Scores(m).Stream(context.Background(), f,
					func(b *dataset.Block, numbers []float64) error {
						assert.Equal(t, len(got), b.FirstRow)
						got = append(got, numbers...)
						return nil
					})
				require.NoError(t, err)
				require.Equal(t, want, got)
				all, err := scoring.Scores(m).All(context.Background(), f)
				require.NoError(t, err)
				require.Equal(t, want, all.Numbers)
				assert.Equal(t, streamed, all.Summary)
				assert.Equal(t, n, streamed.Rows)
			}
		}
	}
}

// stump returns a tree that sends rows left if the feature is at most the threshold.
func stump(feature int32, threshold, left, right float64) tree.Tree {
	return tree.Tree{Feature: []int32{feature}, Threshold: []float64{threshold},
		Decision: []tree.Decision{tree.MissingNone},
		Left:     []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{left, right},
		Gain: []float64{1}, LeafCount: []int64{2, 2}, InternalCount: []int64{4}}
}

func TestLeavesAndContributionsHaveARowEach(t *testing.T) {
	e := &tree.Ensemble{Trees: []tree.Tree{stump(1, 5, -1, 1), stump(2, 2, 0, 4)},
		Features: make([]tree.Feature, 3)}
	for f := range e.Features {
		e.Features[f].Name = fmt.Sprint("f", f)
	}
	f := open(t, "0 qid:1 1:5 2:3\n0 qid:1 1:6 2:2\n", data.Options{Workers: 2})
	for _, c := range []struct {
		output scoring.Output
		want   []float64
	}{
		{scoring.Leaves(e), []float64{0, 1, 1, 0}},
		// The mean values of the trees are 0 and 2, so the first row's features contribute -1 and 2.
		{scoring.Contributions(e), []float64{0, -1, 2, 2, 0, 1, -2, 2}},
		{scoring.Scores(e), []float64{3, 1}},
	} {
		all, err := c.output.All(context.Background(), f)
		require.NoError(t, err)
		assert.Equal(t, c.want, all.Numbers)
		var text bytes.Buffer
		_, err = c.output.WriteLines(context.Background(), &text, f, false)
		require.NoError(t, err)
		var want strings.Builder
		for i, v := range c.want {
			fmt.Fprintf(&want, "%v%s", v, map[bool]string{true: "\n", false: "\t"}[(i+1)%(len(c.want)/2) == 0])
		}
		assert.Equal(t, want.String(), text.String())
	}
}

// TestWideNumbersAreWrittenInParts: a block whose numbers would take too much memory is written row by row.
func TestWideNumbersAreWrittenInParts(t *testing.T) {
	text, _ := rowsOf(1000)
	f := open(t, text, data.Options{Workers: 3, Docs: true})
	e := &tree.Ensemble{Features: make([]tree.Feature, 4), Trees: []tree.Tree{stump(1, 5, 2, -2)}}
	write := func() (string, scoring.Summary) {
		var lines strings.Builder
		summary, err := scoring.Contributions(e).WriteLines(t.Context(), &lines, f, true)
		require.NoError(t, err)
		return lines.String(), summary
	}
	want, ofAll := write()
	for _, most := range []int{1, 5 * 7, 5 * 999} {
		scoring.SetMostNumbers(t, most)
		blocks, next := 0, 0
		summary, err := scoring.Contributions(e).Stream(t.Context(), f,
			func(b *dataset.Block, numbers []float64) error {
				blocks++
				assert.Equal(t, next, b.FirstRow)
				next += b.Len()
				assert.Equal(t, []int{b.Len(), b.Len(), b.Len()}, []int{len(b.Rows), len(b.Docs), len(b.Scores)})
				first, last := b.Queries[0], b.Queries[len(b.Queries)-1]
				assert.True(t, first.First <= b.FirstRow && b.FirstRow < first.First+first.Len)
				assert.True(t, last.First < next && next <= last.First+last.Len)
				assert.LessOrEqual(t, len(numbers), max(5, most))
				return nil
			})
		require.NoError(t, err)
		assert.Equal(t, ofAll, summary)
		assert.Greater(t, blocks, 1)
		got, _ := write()
		assert.Equal(t, want, got)
	}
}

func TestErrorsNameTheRowOfTheData(t *testing.T) {
	text, _ := rowsOf(2 * scoring.BatchRows)
	lines := strings.SplitAfter(text, "\n")
	lines[scoring.BatchRows+7] = "1 qid:x 1:-1\n"
	f := open(t, strings.Join(lines, ""), data.Options{Workers: 1})
	_, err := scoring.Scores(weighted{6}).Stream(context.Background(), f,
		func(*dataset.Block, []float64) error { return nil })
	assert.EqualError(t, err, fmt.Sprintf("row %d is refused", scoring.BatchRows+7))
	var inRow *refusal
	require.ErrorAs(t, err, &inRow)
	lines[scoring.BatchRows+7] = "1 qid:37 1:-1\n"
	f = open(t, strings.Join(lines, ""), data.Options{Workers: 1})
	_, err = scoring.Scores(weighted{6}).All(context.Background(), f)
	assert.ErrorContains(t, err, fmt.Sprintf("data.txt:%d (query 37): row %d is refused", scoring.BatchRows+8,
		scoring.BatchRows+7))

	stop := errors.New("stop")
	f = open(t, text, data.Options{})
	_, err = scoring.Scores(weighted{6}).Stream(context.Background(), f,
		func(*dataset.Block, []float64) error { return stop })
	assert.Same(t, stop, err)
	_, err = scoring.Scores(weighted{6}).WriteLines(context.Background(), &aid.Full{Err: stop}, f, false)
	assert.Same(t, stop, err)
	_, err = scoring.WriteRun(context.Background(), &aid.Full{Err: stop}, f, weighted{6}, "t")
	assert.Same(t, stop, err)
	for _, do := range []func() error{
		func() error { _, err := scoring.Output{}.Stream(context.Background(), f, nil); return err },
		func() error { _, err := scoring.Output{}.All(context.Background(), f); return err },
	} {
		assert.ErrorIs(t, do(), scoring.ErrNoOutput)
	}
}

func TestSummarySaysWhichFeaturesDoNotMeet(t *testing.T) {
	count := func(text string, features int) scoring.Summary {
		all, err := scoring.Scores(weighted{features}).All(context.Background(), open(t, text, data.Options{}))
		require.NoError(t, err)
		return all.Summary
	}
	s := count("0 qid:1 2:1 7:1\n0 qid:1 3:1\n", 5)
	assert.Equal(t, scoring.Summary{Rows: 2, Data: 7, Model: 4, Used: 4, First: 1}, s)
	warnings, notes := s.Remarks()
	assert.Equal(t, []string{"the data has columns up to 7, the model knows them up to 4: the others are " +
		"ignored"},
		warnings)
	assert.Empty(t, notes)
	warnings, notes = count("0 qid:1 2:1\n", 5).Remarks()
	assert.Empty(t, warnings)
	assert.Equal(t, []string{"the data has columns up to 2, the model uses column 4: absent features count " +
		"as zero"}, notes)
	warnings, notes = count("0 qid:1\n", 5).Remarks()
	assert.Equal(t, []string{"the data has columns up to 0, the model uses columns from 1 on: all documents " +
		"have one score; score data with the features of the training data"}, warnings)
	assert.Empty(t, notes)
	warnings, notes = count("0 qid:1 4:1\n", 5).Remarks()
	assert.Empty(t, append(warnings, notes...))
}

// TestRunsAreRanked: the scores are 2, 5, 5 and 2; rows with equal scores keep their order.
func TestRunsAreRanked(t *testing.T) {
	f := open(t, "0 qid:a 1:2 # x\n1 qid:a 1:5 # y\n0 qid:a 1:5\n1 qid:b 1:2 # w\n", data.Options{Docs: true})
	var text bytes.Buffer
	s, err := scoring.WriteRun(context.Background(), &text, f, weighted{2}, "tag")
	require.NoError(t, err)
	assert.Equal(t, 4, s.Rows)
	assert.Equal(t, "a Q0 y 1 5 tag\na Q0 3 2 5 tag\na Q0 x 3 2 tag\nb Q0 w 1 2 tag\n", text.String())
	_, err = scoring.WriteRun(t.Context(), &text, f, weighted{2}, "two words")
	assert.ErrorIs(t, err, trec.ErrWord)
}

// TestIDsBeforeNumbers: a document without an id has its row number; without
// queries, the first column is empty.
func TestIDsBeforeNumbers(t *testing.T) {
	write := func(text string) (string, error) {
		var b strings.Builder
		_, err := scoring.Scores(weighted{2}).WriteLines(t.Context(), &b,
			open(t, text, data.Options{Docs: true}), true)
		return b.String(), err
	}
	text, err := write("0 qid:a 1:2 # x\n1 qid:a 1:5\n1 qid:b 1:3 # w\n")
	require.NoError(t, err)
	assert.Equal(t, "a\tx\t2\na\t2\t5\nb\tw\t3\n", text)
	text, err = write("0 1:2\n0 1:4\n")
	require.NoError(t, err)
	assert.Equal(t, "\t1\t2\n\t2\t4\n", text)
	_, err = scoring.AppendIDs(nil, &dataset.Block{Labels: []float64{0}, Docs: []string{"a\tb"}},
		0, []byte("1\n"))
	assert.ErrorIs(t, err, scoring.ErrID)
}

// TestMatrixInMemory: a matrix in memory is scored like other data, and NaN reaches the model.
func TestMatrixInMemory(t *testing.T) {
	meta := dataset.Meta{Labels: make([]float64, 3), Queries: []dataset.Query{{ID: "q", Len: 3}}}
	d, err := dataset.NewDense(meta, []float64{0, 1, 0, 2, 0, math.NaN()})
	require.NoError(t, err)
	all, err := scoring.Scores(weighted{2}).All(context.Background(), d)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2}, all.Numbers[:2])
	assert.True(t, math.IsNaN(all.Numbers[2]))
}

// TestUnknownCategories: data with many categories, none of which the model knows, is warned about in every
// pass, for any number of goroutines; one known category is enough, and nothing is carried to the next pass.
func TestUnknownCategories(t *testing.T) {
	brand := stump(1, 0, -1, 1)
	brand.Decision[0], brand.CategoryStart, brand.Categories = tree.Categorical, []int32{0, 1}, []uint32{1 << 3}
	brand.InternalValue, brand.InternalWeight, brand.LeafWeight = []float64{0}, []float64{2}, []float64{1, 1}
	e := &tree.Ensemble{Trees: []tree.Tree{brand}, Features: []tree.Feature{{Name: "x"}, {Name: "brand"}}}
	scorer, err := tree.Compile(e)
	require.NoError(t, err)
	unknown := strings.Repeat("0 qid:1 1:1007\n", 3*scoring.BatchRows)
	for text, want := range map[string]int{unknown: 1, unknown + "0 qid:1 1:3\n": 0, unknown[:15*99]: 0} {
		for _, workers := range []int{1, 3} {
			f := open(t, text, data.Options{Workers: workers})
			for i, o := range []scoring.Output{scoring.Scores(scorer), scoring.Leaves(e)} {
				all, err := o.All(t.Context(), f)
				require.NoError(t, err)
				warnings, _ := all.Summary.OfAll(f.Part()).Remarks()
				assert.Len(t, warnings, want, i)
				streamed, err := o.WriteLines(t.Context(), &bytes.Buffer{}, f, false)
				require.NoError(t, err)
				assert.Equal(t, all.Summary, streamed)
				if want > 0 {
					assert.Contains(t, warnings[0], "column brand: the model knows none of its categories (768 cells, "+
						"such as 1007; it knows 3)")
				}
			}
		}
	}
}
