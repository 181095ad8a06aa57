package table

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
)

var goals = Options{Label: "clicked", Query: "query", LabelName: "clicked", More: []string{"bought"},
	Place: "at"}

// goalsTable returns a table with second labels and positions, the second labels, and the positions.
func goalsTable(rows int, comma string) (text string, second []float64, places []string) {
	var b strings.Builder
	line := func(cells ...any) { fmt.Fprintln(&b, strings.ReplaceAll(fmt.Sprint(cells...), "|", comma)) }
	line("at|f|bought|query|clicked")
	for row := range rows {
		place := []string{"top", "2", "side,bar"}[row*row%7%4]
		if comma == "," {
			place = `"` + place + `"`
		}
		second = append(second, float64(row%5)/4)
		places = append(places, strings.Trim(place, `"`))
		line(place, "|", row, "|", second[row], "|", row/10, "|", row%3)
	}
	return b.String(), second, places
}

func TestGoalsOfTables(t *testing.T) {
	for name, comma := range map[string]string{"x.csv": ",", "x.tsv": "\t"} {
		text, second, places := goalsTable(3000, comma)
		path := aid.File(t, name, text)
		for _, workers := range []int{1, 2, 7} {
			o := goals
			o.Workers, o.blockSize = workers, 997
			all, meta, err := readData(t, path, o)
			require.NoError(t, err)
			assert.Equal(t, []dataset.Labels{{Name: "bought", Values: second}}, meta.More)
			assert.Equal(t, "clicked", meta.LabelName)
			assert.Equal(t, []string{"top", "2", "side,bar"}, meta.PositionNames, "in the order of the data")
			for row, want := range places {
				require.Equal(t, want, meta.PositionNames[meta.Positions[row]])
			}
			assert.Equal(t, []string{"at", "f", "bought", "query"}, meta.Features, "they keep their numbers")
			assert.Equal(t, map[int]string{1: bitsOf(17)}, all[17].value, "they are not features")
		}
	}
}

// TestGoalsThatAreNotThere: validation sets may lack both columns, and data to be scored does not read them.
func TestGoalsThatAreNotThere(t *testing.T) {
	bare := aid.File(t, "x.csv", "clicked,query,f\n1,a,2\n0,a,3\n")
	o := goals
	_, _, err := readData(t, bare, o)
	assert.ErrorIs(t, err, ErrNoColumn)
	o.Model = &dataset.Features{Names: []string{"at", "f", "bought", "query"}, Label: 4, Used: []int{1}}
	_, meta, err := readData(t, bare, o)
	require.NoError(t, err)
	assert.Empty(t, meta.More)
	assert.Nil(t, meta.Positions)
	text, second, _ := goalsTable(20, ",")
	full := aid.File(t, "x.csv", text)
	_, meta, err = readData(t, full, o)
	require.NoError(t, err)
	assert.Equal(t, []dataset.Labels{{Name: "bought", Values: second}}, meta.More)
	o.NoLabels = true
	_, meta, err = readData(t, full, o)
	require.NoError(t, err)
	assert.Empty(t, meta.More)
	assert.Nil(t, meta.Positions)
}

func TestGoalsThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		row, opts string
		want      error
		text      string
	}{
		{"1,2,x,a,1", "", dataset.ErrLabelFinite, `x.csv:2:5: column "bought": "x": `},
		{"1,2,nan,a,1", "", dataset.ErrLabelFinite, `"nan"`},
		{"1,2,1e999,a,1", "", dataset.ErrLabelFinite, `"1e999"`},
		{"1,2,,a,1", "", dataset.ErrLabelFinite, ""},
		{",2,0,a,1", "", ErrPlace, `column "at": not a position`},
		{"null,2,0,a,1", "", ErrPlace, `"null"`},
		{"right side,2,0,a,1", "", ErrPlace, `"right side"`},
		{"1,2,0,a,1", "clicked", ErrTwoRoles, "label_columns=name:clicked and label_column=clicked"},
		{"1,2,0,a,1", "query", ErrTwoRoles, "label_columns=name:query and group_column=query"},
		{"1,2,0,a,1", "at", ErrTwoRoles, "position_column=at and label_columns=name:at"},
		{"1,2,0,a,1", "sold", ErrNoColumn, `column "sold"`},
	} {
		o := goals
		if c.opts != "" {
			o.More = []string{c.opts}
		}
		_, _, err := readData(t, aid.File(t, "x.csv", "at,f,bought,query,clicked\n"+c.row+"\n"), o)
		require.ErrorIs(t, err, c.want, c.row)
		assert.ErrorContains(t, err, c.text)
	}
}

// TestGoalsInCompanions: columns take precedence over companion files, which supply what a table lacks.
func TestGoalsInCompanions(t *testing.T) {
	path := aid.File(t, "x.csv", "clicked,query,bought,at\n1,a,2,up\n0,a,3,down\n")
	require.NoError(t, os.WriteFile(path+".label2", []byte("7\n8\n"), 0o666))
	require.NoError(t, os.WriteFile(path+".position", []byte("p\nq\n"), 0o666))
	_, meta, err := readData(t, path, goals)
	require.NoError(t, err)
	assert.Equal(t, []string{"up", "down"}, meta.PositionNames)
	assert.Len(t, meta.Remarks, 2)
	assert.Contains(t, meta.Remarks[0], ".label2 is not read since 2026-11-26")
	_, meta, err = readData(t, path, Options{Label: "clicked", Query: "query", Ignore: "name:bought,at"})
	require.NoError(t, err)
	assert.Equal(t, []string{"p", "q"}, meta.PositionNames)
}

// TestTooManyPlaces: a table with more different positions than a page can have is an error.
func TestTooManyPlaces(t *testing.T) {
	var b strings.Builder
	b.WriteString("clicked,query,bought,at\n")
	for row := range 1<<16 + 1 {
		fmt.Fprintf(&b, "1,a,0,%d\n", row)
	}
	_, _, err := readData(t, aid.File(t, "x.csv", b.String()), goals)
	assert.ErrorContains(t, err, "more than 65,536 different positions")
}

// TestTwoRoles: a column that two parameters choose is an error that names both.
func TestTwoRoles(t *testing.T) {
	path := aid.File(t, "x.csv", "clicked,query,w,f\n1,a,2,3\n0,a,3,4\n")
	for want, o := range map[string]Options{
		"weight_column=clicked and label_column=clicked": {Label: "clicked",
			Query: "query", Weight: "clicked"},
		"weight_column=0 and group_column=query":             {Label: "0", Query: "query", Weight: "0"},
		"group_column=name:clicked and label_column=clicked": {Label: "clicked", Query: "name:clicked"},
		"group_column=name:clicked and label_column, the first column if it is not given": {
			Query: "name:clicked"},
		"position_column=w and weight_column=name:w": {Query: "query", Weight: "name:w", Place: "w"},
		"label_columns=name:f and ignore_column=f":   {Query: "query", More: []string{"f"}, Ignore: "f"},
		"label_columns=name:w and weight_column=w": {Query: "query",
			More: []string{"w"}, Weight: "w", Model: &dataset.Features{Names: []string{"query", "w", "f"},
				Used: []int{2}}},
	} {
		_, _, err := readData(t, path, o)
		require.ErrorIs(t, err, ErrTwoRoles, want)
		assert.ErrorContains(t, err, want)
	}
	for _, o := range []Options{
		{Query: "query", Weight: "w", Ignore: "name:clicked,query,w"}, // never features
		{Query: "query", Weight: "w", NoLabels: true,
			Model: &dataset.Features{Names: []string{"Column_0", "Column_1",
				"Column_2"}, Used: []int{2}}},
	} {
		_, _, err := readData(t, path, o)
		require.NoError(t, err)
	}
}

// TestDocumentIDs: document ids are read on request; the column is never a feature.
func TestDocumentIDs(t *testing.T) {
	path := aid.File(t, "x.csv", "grade,qid,doc,f\n1,a,\"x,1\",2\n0,a,,3\n2,b,y z,4\n")
	for _, blockSize := range []int{0, 5} {
		o := Options{Label: "grade", Doc: "name:doc", Docs: true, blockSize: blockSize}
		all, meta, err := readData(t, path, o)
		require.NoError(t, err)
		assert.Equal(t, []string{"x,1", "", "y z"}, meta.Docs)
		assert.Equal(t, map[int]string{2: bitsOf(3)}, all[1].value)
		o.Docs = false
		all, meta, err = readData(t, path, o)
		require.NoError(t, err)
		assert.Nil(t, meta.Docs)
		assert.Equal(t, map[int]string{2: bitsOf(3)}, all[1].value)
	}
}

// TestDocumentIDsThatAreNotThere: a missing id column is an error if ids are requested, or if the column
// could be a feature under another name.
func TestDocumentIDsThatAreNotThere(t *testing.T) {
	path := aid.File(t, "x.csv", "grade,qid,f\n1,a,2\n0,a,3\n")
	model := &dataset.Features{Names: []string{"qid", "f"}, Used: []int{1}}
	for _, o := range []Options{{}, {Docs: true, Model: model}, {Docs: true, Model: model, NoLabels: true}} {
		o.Label, o.Doc = "grade", "doc"
		_, _, err := readData(t, path, o)
		assert.ErrorIs(t, err, ErrNoColumn)
	}
	for _, o := range []Options{{Model: model}, {Model: model, NoLabels: true}} {
		o.Label, o.Doc = "grade", "doc"
		_, _, err := readData(t, path, o)
		assert.NoError(t, err)
	}
	for setting, o := range map[string]Options{
		"docid_column=f and ignore_column=f":      {Label: "grade", Doc: "f", Ignore: "f"},
		"docid_column=qid and group_column=qid":   {Label: "grade", Doc: "qid", Query: "qid"},
		"docid_column=f and weight_column=name:f": {Label: "grade", Doc: "f", Weight: "name:f"},
	} {
		_, _, err := readData(t, path, o)
		assert.ErrorIs(t, err, ErrTwoRoles)
		assert.ErrorContains(t, err, setting)
	}
}
