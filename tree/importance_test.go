package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUsedFeatures(t *testing.T) {
	e := randomModel{trees: 1, maxLeaves: 3, exact: true, features: 9}.make(rand.New(rand.NewPCG(1, 2)))
	e.Trees[0].Feature = []int32{4, 2}
	assert.Equal(t, []int{2, 4}, e.UsedFeatures())
	e.Trees[0].Linear = &LinearLeaves{Feature: [][]int32{{8}, nil, {2, 0}}}
	assert.Equal(t, []int{0, 2, 4, 8}, e.UsedFeatures())
	assert.Equal(t, []int{}, (&Ensemble{}).UsedFeatures(), "nil would be all features")
}
