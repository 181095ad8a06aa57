package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

func TestColumn(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "b.csv": asCSV,
		"c.tsv": strings.ReplaceAll(asCSV, ",", "\t")})
	for _, name := range []string{"b.csv", "c.tsv"} {
		got, err := Column(ctx, path(name), Options{Layout: ofTable, Workers: 2}, "name:Column_2")
		require.NoError(t, err)
		assert.Equal(t, []float64{0.5, 4, 1, 0.25, 4, 0}, got)
	}
	csv := "qid,grade,click,fold,text\n1,2,0,0,a\n1,0,1,0,b\n2,1,1,3,c\n2,0,0,3,d\n"
	several := folder(t, map[string]string{"a.csv": csv})("a.csv")
	for _, ignored := range []string{"", "name:fold", "name:fold,text", "name:text,fold", "name:text, fold"} {
		for _, l := range []Layout{{Label: "name:grade"}, {Labels: "grade,click"}} {
			l.Ignore = ignored
			got, err := Column(ctx, several, Options{Layout: l}, "name:fold")
			require.NoError(t, err, "%+v", l)
			assert.Equal(t, []float64{0, 0, 3, 3}, got, "%+v", l)
		}
	}
	_, err := Column(ctx, path("a.txt"), Options{}, "fold")
	require.ErrorIs(t, err, ErrNoTable)
	_, err = Column(ctx, path("b.csv"), Options{Layout: ofTable}, "fold")
	require.ErrorIs(t, err, table.ErrNoFeature)
	_, err = Column(ctx, path("absent"), Options{}, "fold")
	require.Error(t, err)
}

func TestIgnoring(t *testing.T) {
	for before, after := range map[string]string{"": "name:fold", "name:a,b": "name:a,b,fold"} {
		l, err := Layout{Ignore: before}.Ignoring("name:fold")
		require.NoError(t, err)
		assert.Equal(t, after, l.Ignore)
	}
	_, err := Layout{Ignore: "3"}.Ignoring("fold")
	require.ErrorContains(t, err, "ignore_column=3: write the names")
}

// TestColumnsOfLETORText: naming a column that LETOR text lacks is refused however the text is read, and the
// error says what to do.
func TestColumnsOfLETORText(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "w.txt": asLETOR,
		"w.txt.weight": "1\n1\n1\n1\n1\n1\n"})
	for layout, want := range map[Layout]string{
		{Label: "name:grade"}: "label_column=name:grade: %[1]s is LETOR text, which has no columns with names: " +
			"leave it out",
		{Query: "query"}: "group_column=query: %[1]s is LETOR text, which has no columns with names: " +
			"leave it out, and write the query into each line, as in qid:1, or the number of rows of each query to " +
			"%[1]s.query",
		{Weight: "3"}: "weight_column=3: %[1]s is LETOR text, which has no columns with names: write " +
			"the weights to %[1]s.weight, one a line",
		{Position: "p"}: "position_column=p: %[1]s is LETOR text, which has no columns with names: write " +
			"the positions to %[1]s.position",
		{Header: "true"}: "header=true: %[1]s is LETOR text, which has no columns with names: leave it " +
			"out, since no line",
		{Ignore: "name:b,c,d"}: "ignore_column=name:b,c,d: %[1]s is LETOR text, which has no columns with " +
			"names: leave it out",
	} {
		want := fmt.Sprintf(want, path("a.txt"))
		for name, o := range map[string]Options{
			"training": {}, "scoring": {NoLabels: true, Features: &dataset.Features{}},
			"judging": {Features: &dataset.Features{Used: []int{}}},
		} {
			o.Layout = layout
			_, err := Open(path("a.txt"), o)
			require.ErrorIs(t, err, ErrNoColumns, name)
			assert.ErrorContains(t, err, want, name)
		}
		for _, validation := range [][]string{nil, {path("a.txt")}} {
			_, err := loadFiles(ctx, binParams, LoadOptions{Layout: layout}, path("a.txt"), validation...)
			assert.ErrorContains(t, err, want)
		}
	}
	for _, valid := range [][]string{nil, {path("w.txt")}} {
		_, err := loadFiles(ctx, binParams, LoadOptions{Layout: Layout{Weight: "w"}}, path("w.txt"), valid...)
		require.ErrorContains(t, err, "leave it out, since "+path("w.txt.weight")+" is read")
	}
	for _, none := range []string{table.WithoutHeader, "0", "-"} { // LightGBM's models hold header: 0
		f, err := Open(path("a.txt"), Options{Layout: Layout{Label: "0", Query: table.NoColumn, Header: none}})
		require.NoError(t, err, "what LETOR text has too")
		require.NoError(t, f.Close())
	}
}

// TestColumnsAmongSets: if one of the sets is a table, column names are not an error for LETOR text beside
// it, unless the text lacks the data in that column.
func TestColumnsAmongSets(t *testing.T) {
	weighted := "w," + strings.ReplaceAll(strings.TrimSpace(asCSV), "\n", "\n2,") + "\n"
	path := folder(t, map[string]string{"a.txt": asLETOR, "w.txt": asLETOR, "w.txt.weight": "1\n1\n1\n1\n1\n1\n",
		"b.csv": weighted})
	o := LoadOptions{Layout: ofTable}
	for _, c := range []struct{ weight, training, validation, want string }{
		{"", "b.csv", "a.txt", ""},
		{"w", "b.csv", "w.txt", ""},
		{"w", "b.csv", "a.txt", "write the weights to " + path("a.txt.weight")},
		{"w", "a.txt", "b.csv", "write the weights to " + path("a.txt.weight")},
	} {
		o.Weight = c.weight
		all, err := loadFiles(ctx, binParams, o, path(c.training), path(c.validation))
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err, c)
		require.NoError(t, all.Close())
	}
}

// TestColumnsOfBinnedData: naming columns is refused for binned data, unless one of the sets is a table.
func TestColumnsOfBinnedData(t *testing.T) {
	path := folder(t, map[string]string{"b.csv": asCSV})
	l := NewLoader(binParams, LoadOptions{Layout: ofTable})
	s, err := l.Training(ctx, Input{Path: path("b.csv")})
	require.NoError(t, err)
	stored := path("b.bin")
	store(t, stored, l, s)
	_, err = loadFiles(ctx, binParams, LoadOptions{Layout: ofTable}, stored)
	require.ErrorIs(t, err, ErrStoredColumns)
	assert.ErrorContains(t, err, "label_column=")
	for _, layout := range []Layout{{Weight: "w"}, {Header: "true"}, {Ignore: "x"}} {
		_, err := loadFiles(ctx, binParams, LoadOptions{Layout: layout}, stored, stored)
		assert.ErrorIs(t, err, ErrStoredColumns)
	}
	all, err := loadFiles(ctx, binParams, LoadOptions{}, stored)
	require.NoError(t, err)
	require.NoError(t, all.Close())
	all, err = loadFiles(ctx, binParams, LoadOptions{Layout: ofTable}, stored, path("b.csv"))
	require.NoError(t, err, "the columns are those of the table")
	require.NoError(t, all.Close())
}
