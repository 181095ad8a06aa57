package model

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

func TestReadNames(t *testing.T) {
	n, err := ReadNames(strings.NewReader("a\ttitle match\n\n  b   body\t\r\nc d\te f\n"), "names.tsv")
	require.NoError(t, err)
	assert.Equal(t, &Names{"names.tsv", []Name{{"a", "title match", 1}, {"b", "body", 3}, {"c d", "e f", 4}}}, n)
	_, err = ReadNames(strings.NewReader("a b\nc\n"), "names.tsv")
	assert.EqualError(t, err, `names.tsv:2: "c": write the model's name of a feature, a tab, and the `+
		`engine's name`)
	_, err = ReadNames(strings.NewReader(strings.Repeat("x", 1<<20)), "names.tsv")
	assert.ErrorContains(t, err, "names.tsv: ")
}

// TestNamesOfAProgram: errors about names that were not read from a file do not name a place in a file.
func TestNamesOfAProgram(t *testing.T) {
	e := stump(tree.MissingNone, 0)
	x, err := Export(e, "lightgbm", Options{Names: &Names{List: []Name{{Model: "b", Engine: "title"}}}})
	require.NoError(t, err)
	assert.Equal(t, "title", x.Model.Features[1].Name)
	assert.Equal(t, "b", e.Features[1].Name)
	for message, list := range map[string][]Name{
		`the model has no feature "c"`: {{Model: "c", Engine: "x"}},
		`feature "b" is there a second time`: {{Model: "b", Engine: "x"},
			{Model: "b", Engine: "y"}},
		`name "x" is given a second time`: {{Model: "b", Engine: "x"},
			{Model: "a", Engine: "x"}},
		`the model uses features that have no name there: "b"`: {{Model: "a", Engine: "x"}},
		`features 0 and 1 would both be called "a"`:            {{Model: "b", Engine: "a"}},
		`"x": RankLib's features are numbers, 1 to 1048576, in the order of the feature set`: {{Model: "b",
			Engine: "x"}},
	} {
		_, err := Export(e, "ranklib", Options{Names: &Names{List: list}})
		assert.ErrorIs(t, err, ErrNames)
		assert.EqualError(t, err, message)
	}
}

func TestNamesOfJoinedFiles(t *testing.T) {
	_, err := ReadNames(strings.NewReader("\ufeffa\tx\n\ufeffb\ty\n"), "f")
	assert.ErrorIs(t, err, ErrNames)
	assert.ErrorContains(t, err, `f:2: "\ufeffb\ty": a byte order mark`)
}

// TestNamesThatAreTheSame: duplicate names are refused in every format, because
// features must be distinguishable.
func TestNamesThatAreTheSame(t *testing.T) {
	e := stump(tree.MissingNone, 0)
	e.Features[1].Name = "a"
	forEachTarget(t, func(t *testing.T, target Target) {
		_, err := Export(e, target.Name, Options{})
		assert.ErrorIs(t, err, ErrNames)
	})
}

// TestNamesOrNumbers: in RankLib's format, features have unique numbers.
func TestNamesOrNumbers(t *testing.T) {
	base := []param.Setting{{Name: "feature_base", Value: "1"}}
	_, err := Export(stump(tree.MissingNone, 0), "ranklib", Options{Names: &Names{}, Settings: base})
	assert.ErrorIs(t, err, ErrOptions)
	assert.EqualError(t, err, "features and feature_base both number the features; give one of them")
	x, err := Export(stump(tree.MissingNone, 0), "ranklib", Options{Settings: base})
	require.NoError(t, err)
	assert.Contains(t, string(x.Content), "<feature>2</feature>")
}
