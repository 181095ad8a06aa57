package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const plannedData = "../../testdata/mslr-small/train.txt.gz"

// planned is the part of plan's JSON that the tests look at.
type planned struct {
	Rows, Queries, Bins int
	Features            int `json:"varying_features"`
	Plans               []struct {
		Ranks, Collectives int
		Memory             int `json:"memory_bytes_of_a_rank"`
		Links              []struct {
			Gbit    int
			Seconds float64
		}
	}
}

func planOf(t *testing.T, args ...string) (p planned) {
	t.Helper()
	got := succeed(t, ".", append([]string{"plan", "json=true"}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &p))
	return p
}

// TestPlanKnowsTheData: the plan is the same for text and for stored bins.
func TestPlanKnowsTheData(t *testing.T) {
	dir := t.TempDir()
	succeed(t, ".", "bin", "data="+plannedData, "output="+dir+"/train.bin")
	text, stored := planOf(t, "data="+plannedData, "ranks=1,3"), planOf(t, "data="+dir+"/train.bin", "ranks=1,3")
	assert.Equal(t, []int{text.Rows, text.Queries, text.Bins, text.Features}, []int{stored.Rows, stored.Queries, stored.Bins, stored.Features})
	assert.Positive(t, text.Bins)
	assert.Zero(t, text.Plans[0].Collectives)
	assert.Positive(t, text.Plans[1].Collectives)
	assert.GreaterOrEqual(t, text.Plans[0].Memory, stored.Plans[0].Memory)

	larger := planOf(t, "data="+dir+"/train.bin", "num_rows=1000000000", "ranks=2000", "gbit=40")
	assert.Equal(t, []int{1_000_000_000, text.Bins}, []int{larger.Rows, larger.Bins})
	assert.Equal(t, 40, larger.Plans[0].Links[0].Gbit)
	assert.Greater(t, larger.Queries, text.Queries)
}

func TestPlanRefuses(t *testing.T) {
	refuseAll(t, ".", []refusal{
		{2, "plan", "give data=FILE, or num_rows= and num_features="},
		{2, "plan num_rows=10", "give data=FILE, or num_rows= and num_features="},
		{2, "plan num_rows=10 num_features=2 ranks=0", "ranks=0: must be >= 1"},
		{2, "plan num_rows=10 num_features=2 ranks=11", "ranks=11 is more than the 10 rows"},
		{2, "plan num_rows=10 num_features=2 ranks=", "ranks= and gbit= need a number"},
		{2, "plan num_rows=10 num_features=2 gbit=0", "gbit=0: must be >= 1"},
		{2, "plan num_rows=10 num_features=2 latency=-1", "latency=-1: must be >= 0"},
		{2, "plan data=" + plannedData + " num_features=3", "the data says how many features there are"},
		{2, "plan data=" + plannedData + " ranks=100000", "queries, which ranks share as a whole"},
		{1, "plan data=absent.txt", "absent.txt"},
	}...)
}
