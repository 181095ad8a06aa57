package table

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/test/aid"
)

// only returns options that read one column of types.parquet, besides the label and some more, as query ids
// or a feature.
func only(t *testing.T, column string, opts Options, more ...string) Options {
	t.Helper()
	d, err := os.Open("testdata/types.parquet")
	require.NoError(t, err)
	defer d.Close()
	info, err := d.Stat()
	require.NoError(t, err)
	f, err := parquet.Open(d, info.Size())
	require.NoError(t, err)
	var others []string
	for _, c := range f.Columns {
		if c.Name != "label" && c.Name != column && !slices.Contains(more, c.Name) {
			others = append(others, c.Name)
		}
	}
	opts.Label, opts.Ignore = "label", "name:"+strings.Join(others, ",")
	return opts
}

// TestIDsOfAllTypes: ids are read from a column of each type that text files can hold, and whole numbers are
// the same ids whatever their type.
func TestIDsOfAllTypes(t *testing.T) {
	for column, want := range map[string][2]string{
		"int": {"12", "7"}, "decimal": {"12", "7"}, "decimal_cents": {"12", "7"}, "decimal256": {"12", "7"},
		"double": {"12", "7"}, "float": {"12", "7"}, "float16": {"12", "7"}, "bytes": {"12", "7"},
		"uuid":         {"00000000-0000-0000-0000-00000000000c", "00000000-0000-0000-0000-000000000007"},
		"fixed":        {"12", "77"},
		"timestamp_ms": {"2024-02-29 12:30:15", "2024-02-29 12:30:15.5"},
		"timestamp_us": {"2024-02-29 12:30:15", "2024-02-29 12:30:15.5"},
		"timestamp_ns": {"2024-02-29 12:30:15", "2024-02-29 12:30:15.5"},
		"zoned_ns":     {"2024-02-29 12:30:15", "2024-02-29 12:30:15.5"},
		"duration_ns":  {"86400.25s", "-1s"}, "duration_us": {"86400.25s", "-1s"},
		"duration_ms": {"86400.25s", "-1s"}, "duration_s": {"86400s", "-1s"},
		"date": {"2024-02-29", ""}, "date64": {"2024-02-29", ""},
		"time_us": {"01:02:03.004", ""}, "time_ns": {"01:02:03.004", ""}, "time_ms": {"01:02:03.004", ""},
	} {
		all, meta, err := readData(t, "testdata/types.parquet", only(t, column, Options{Query: column}))
		require.NoError(t, err, column)
		assert.Equal(t, want[0], all[0].query, column)
		if want[1] != "" {
			assert.Equal(t, want[1], all[3].query, column)
			assert.Len(t, meta.Queries, 2, column)
		} else {
			assert.Len(t, meta.Queries, 1, column)
		}
	}
	all, _, err := readData(t, "testdata/int96.parquet", Options{Label: "label", Query: "timestamp"})
	require.NoError(t, err)
	assert.Equal(t, "2024-02-29 12:30:15.5", all[3].query)
	for column, want := range map[string]string{
		"fraction": `row 1: column "fraction": "0.5": not a whole number that its type holds exactly; write ids as`,
		"large":    `row 1: column "large": "1.15292`, "list": `column "list" has nested or repeated values`,
		"struct": "nested", "map": "nested", "nothing": "the row has no query",
	} {
		_, _, err := readData(t, "testdata/types.parquet", only(t, column, Options{Query: column}))
		assert.ErrorContains(t, err, want, column)
	}
}

// TestTimesAreNoNumbers: the numbers of times depend on the unit that the writer chose, so they are refused
// as features, labels and weights, with the name of the type.
func TestTimesAreNoNumbers(t *testing.T) {
	for column, want := range map[string]string{"date": "DATE", "date64": "DATE",
		"timestamp_s": "TIMESTAMP in milliseconds", "timestamp_ms": "TIMESTAMP in milliseconds",
		"timestamp_us": "TIMESTAMP in microseconds", "timestamp_ns": "TIMESTAMP in nanoseconds",
		"zoned_ms": "TIMESTAMP in milliseconds", "zoned_ns": "TIMESTAMP in nanoseconds",
		"time_s": "TIME in milliseconds", "time_ms": "TIME in milliseconds", "time_us": "TIME in microseconds",
		"time_ns": "TIME in nanoseconds", "duration_s": "DURATION in seconds",
		"duration_ms": "DURATION in milliseconds", "duration_us": "DURATION in microseconds",
		"duration_ns": "DURATION in nanoseconds",
		"texts":       "STRING, not numbers", "bytes": "BINARY (BYTE_ARRAY), not numbers",
		"uuid":  "UUID, not numbers",
		"fixed": "BINARY of 2 bytes"} {
		o := only(t, column, Options{Query: "int"}, "int")
		_, _, err := readData(t, "testdata/types.parquet", o)
		assert.ErrorIs(t, err, parquet.ErrUnsupported, column)
		assert.ErrorContains(t, err, `column "`+column+`" holds `+want, column)
		o.Label, o.Ignore = column, "name:label"
		_, _, err = readData(t, "testdata/types.parquet", o)
		assert.ErrorIs(t, err, parquet.ErrUnsupported, column)
	}
	_, _, err := readData(t, "testdata/int96.parquet", Options{Label: "label", NoLabels: true})
	assert.ErrorContains(t, err, "TIMESTAMP (INT96)")
	for ignored, want := range map[string]string{"months": `"days" holds DURATION in microseconds`,
		"days": `"months" holds INTERVAL`} {
		_, _, err = readData(t, "testdata/intervals_of_spark.parquet", Options{Label: "label", Query: "count",
			Ignore: "name:" + ignored})
		assert.ErrorContains(t, err, "column "+want)
	}
	_, _, err = readData(t, "testdata/intervals_of_spark.parquet", Options{Label: "label", Query: "count",
		Ignore: "name:days,months"})
	assert.NoError(t, err)
	for _, o := range []Options{{Label: "label", Query: "qid"}, {Label: "label", Query: "month"},
		{Label: "label", Query: "qid", Categorical: "name:month"}} {
		_, _, err = readData(t, "testdata/period.parquet", o)
		assert.ErrorContains(t, err, `column "month" holds PERIOD of pandas`)
	}
	all, meta, err := readData(t, "testdata/types.parquet", only(t, "float16", Options{Query: "int"}, "int"))
	require.NoError(t, err)
	assert.Equal(t, bitsOf(7), all[3].value[slices.Index(meta.Features, "float16")])
}

// TestAdviceOnColumns: a column that can be no category is not advised to be one.
func TestAdviceOnColumns(t *testing.T) {
	for _, c := range []struct{ column, categorical, want string }{
		{"list", "", "(ignore_column=name:list leaves columns out)"},
		{"map", "name:map", "(ignore_column=name:map leaves columns out)"},
		{"date", "", "(categorical_feature=name:date makes texts categories, and ignore_column=name:date leaves"},
	} {
		o := only(t, c.column, Options{Query: "int", Categorical: c.categorical}, "int")
		_, _, err := readData(t, "testdata/types.parquet", o)
		assert.ErrorContains(t, err, c.want)
	}
	o := only(t, "words", Options{Query: "int"}, "int", "list")
	_, _, err := readData(t, "testdata/types.parquet", o)
	assert.ErrorContains(t, err, "(categorical_feature=name:words makes texts categories, and "+
		"ignore_column=name:words,list leaves columns out)")
}

// TestTextsOfNumbersAsCategories: a categorical column whose texts are all numbers has the categories of
// these numbers, as in text files. A model of these categories reads such texts too.
func TestTextsOfNumbersAsCategories(t *testing.T) {
	csv := aid.File(t, "a.csv", "label,int,texts\n0,12,12\n1,12,00012\n2,12,1.2e1\n0,7,7\n")
	for _, column := range []string{"texts", "categories"} {
		opts := only(t, column, Options{Query: "int", Categorical: "name:" + column}, "int")
		all, meta, err := readData(t, "testdata/types.parquet", opts)
		require.NoError(t, err, column)
		f := slices.Index(meta.Features, column)
		assert.Empty(t, meta.Dictionaries)
		assert.Equal(t, bitsOf(12), all[2].value[f])
		assert.Equal(t, bitsOf(7), all[3].value[f])
		model := &dataset.Features{Names: meta.Features, Used: []int{f}}
		again, _, err := readData(t, "testdata/types.parquet", Options{Label: "label", Model: model, Query: "int"})
		require.NoError(t, err)
		sameData(t, all, again)
	}
	text, _, err := readData(t, csv, Options{Label: "label", Query: "int", Categorical: "name:texts"})
	require.NoError(t, err)
	assert.Equal(t, bitsOf(12), text[1].value[1])

	model := &dataset.Features{Names: []string{"words"}, Used: []int{0}}
	_, _, err = readData(t, "testdata/types.parquet", Options{Label: "label", Query: "int", Model: model})
	var e *dataset.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, &dataset.Error{Path: e.Path, Row: 3, Field: "words", Token: "x", Err: dataset.ErrValue,
		Detail: e.Detail}, e)
	assert.Contains(t, e.Detail, "categorical_feature=name:words")
}

// TestTextsAndFloatsInParts: the parts of a table cannot have the same categories as texts and as floats.
func TestTextsAndFloatsInParts(t *testing.T) {
	for _, first := range []int{0, 1} {
		dir := filepath.Join(t.TempDir(), "table")
		require.NoError(t, os.Mkdir(dir, 0o777))
		for i, name := range []string{"part-0.parquet", "part-1.parquet"} {
			texts := i == first
			out, err := os.Create(filepath.Join(dir, name))
			require.NoError(t, err)
			w, err := parquet.NewWriter(out, []parquet.Field{{Name: "label"}, {Name: "qid"},
				{Name: "brand", Text: texts}})
			require.NoError(t, err)
			numbers, words := []float64{1, float64(i), 12}, []string(nil)
			if texts {
				numbers, words = numbers[:2], []string{"012"}
			}
			require.NoError(t, w.Add(numbers, words))
			require.NoError(t, w.Close())
			require.NoError(t, out.Close())
		}
		_, _, err := readData(t, dir, Options{Categorical: "name:brand"})
		assert.ErrorIs(t, err, parquet.ErrUnsupported)
	}
}

// TestIndexOfADataFrame: what pandas calls an index is no feature, unless it is chosen or named like query
// ids. The names of an unnamed index are known without pandas' note.
func TestIndexOfADataFrame(t *testing.T) {
	for name, want := range map[string][]int{"filtered": {0, 2}, "copied": {0, 2}, "range": {0}, "named": {0, 1},
		"query": {1}, "levels": {0, 2, 3}} {
		_, meta, err := readData(t, "testdata/frame_"+name+".parquet", Options{Label: "label"})
		require.NoError(t, err, name)
		assert.Equal(t, want, meta.Absent, name)
		assert.Equal(t, name != "range" && name != "query", strings.Contains(remarks(t, name),
			"is the index of a data frame, and is not a feature"), name)
	}
	_, meta, err := readData(t, "testdata/frame_first.parquet", Options{})
	require.NoError(t, err)
	assert.Equal(t, 1, meta.LabelColumn, "the first column is the one after the index")
	_, meta, err = readData(t, "testdata/frame_named.parquet", Options{Weight: "f"})
	require.NoError(t, err)
	assert.Equal(t, []float64{.5, 1, 2, 3, 4, 5}, meta.Weights, "an index that is chosen is read")
	model := &dataset.Features{Names: []string{"f"}, Used: []int{0}}
	all, _, err := readData(t, "testdata/frame_named.parquet", Options{Label: "label", Model: model})
	require.NoError(t, err)
	assert.Equal(t, bitsOf(.5), all[0].value[0], "a model that uses it has it")
}

// remarks returns what was noticed about the columns of a data frame.
func remarks(t *testing.T, name string) string {
	t.Helper()
	d, err := Open("testdata/frame_"+name+".parquet", Options{Label: "label"})
	require.NoError(t, err)
	defer d.Close()
	return strings.Join(d.Remarks, "\n")
}

// TestIndexInText: pandas' index in a text file, whose name is empty in the first column, is left out, and
// the label is the first column after it; so it is for a model, with or without labels. Another column
// without a name is refused, and what the error recommends works.
func TestIndexInText(t *testing.T) {
	for _, c := range []struct {
		text, number string
		known        bool // as an index
	}{
		{",label,qid,f\n0,1,1,2\n5,0,1,3\n", "0", true},
		{",grade,qid,f\n0,1,1,2\n5,0,1,3\n", "0", true},
		{"label,qid,f,\n1,1,2,0\n0,1,3,5\n", "2", false},
		{"label,,qid,f\n1,0,1,2\n0,5,1,3\n", "0", false},
		{"__index_level_0__,label,qid,f\n0,1,1,2\n5,0,1,3\n", "0", true},
		{"label,Unnamed: 0,qid,f\n1,0,1,2\n0,5,1,3\n", "0", true},
		{"label,Unnamed: 1,qid,f\n1,0,1,2\n0,5,1,3\n", "0", false},
	} {
		path := aid.File(t, "a.csv", c.text)
		_, meta, err := readData(t, path, Options{})
		if c.known {
			require.NoError(t, err, c.text)
			assert.Len(t, meta.Absent, 2, c.text)
		} else {
			assert.ErrorContains(t, err, "ignore_column="+c.number, c.text)
			_, meta, err = readData(t, path, Options{Ignore: c.number})
			require.NoError(t, err, c.text)
			assert.Len(t, meta.Absent, 2)
		}
		assert.Equal(t, []float64{1, 0}, meta.Labels, c.text)
		assert.NotContains(t, strings.Join(meta.Features, ""), ":")
		assert.NotContains(t, meta.Features, "")
		for _, names := range [][]string{meta.Features, {"f"}, {"qid", "f"}} {
			model := &dataset.Features{Names: names, Used: []int{len(names) - 1}, Label: meta.LabelColumn}
			if slices.Equal(names, meta.Features) {
				model.Used = nil
			}
			for _, o := range []Options{{Model: model}, {Model: model, NoLabels: true}} {
				if !c.known {
					o.Ignore = c.number
				}
				_, _, err = readData(t, path, o)
				assert.NoError(t, err, "%s %v", c.text, names)
			}
		}
	}
}

// TestBooleansAsTexts: Parquet's booleans are the categories True and False of a model that was trained on
// text that pandas wrote, and floats are no texts, with advice that names no columns.
func TestBooleansAsTexts(t *testing.T) {
	model := &dataset.Features{Names: []string{"target"}, Used: []int{0},
		Dictionaries: map[int][]string{0: {"False", "True"}}}
	o := Options{Label: "label", NoLabels: true, Query: "query", Model: model}
	all, _, err := readData(t, "testdata/boolean.parquet", o)
	require.NoError(t, err)
	numbers, _, err := readData(t, "testdata/boolean.parquet", Options{Label: "label", NoLabels: true,
		Query: "query", Model: &dataset.Features{Names: model.Names, Used: model.Used}})
	require.NoError(t, err)
	sameData(t, numbers, all)
	model = &dataset.Features{Names: []string{"score"}, Used: []int{0},
		Dictionaries: map[int][]string{0: {"low", "high"}}}
	o.Model = model
	_, _, err = readData(t, "testdata/boolean.parquet", o)
	assert.ErrorContains(t, err, "the model, or the training data, has texts in this column")
}

// TestBooleansInText: True and False are 1 and 0, as Parquet's booleans are.
func TestBooleansInText(t *testing.T) {
	path := aid.File(t, "a.csv", "label,qid,f,w\nTrue,1,true,TRUE\nFALSE,1,False,1\nfalse,1,,true\n")
	all, meta, err := readData(t, path, Options{Weight: "w"})
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0, 0}, meta.Labels)
	assert.Equal(t, bitsOf(1), all[0].value[1])
	assert.Empty(t, all[1].value[1])
	assert.Equal(t, "missing", all[2].value[1])
	_, meta, err = readData(t, aid.File(t, "a.csv", "True,2\nFalse,3\n"), Options{Query: "0"})
	require.NoError(t, err, "the first line is a row")
	assert.Len(t, meta.Labels, 2)
}
