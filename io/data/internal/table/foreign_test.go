package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/test/aid"
)

func checkText(t *testing.T, text string) error {
	t.Helper()
	in, err := stream.Open(aid.File(t, "a.csv", text), stream.Options{})
	require.NoError(t, err)
	defer in.Close()
	return CheckForeign(in)
}

// TestForeignFiles: the error about a file of another form says which one it is.
func TestForeignFiles(t *testing.T) {
	for text, want := range map[string]string{"ARROW1\x00\x00abc": "Feather", "FEA1xxxx": "Feather",
		"ORC\n\x03\x00\x00": "ORC", "Obj\x01\x04": "Avro", "\x89HDF\r\n\x1a\n": "HDF5", "\x93NUMPY\x01": "NumPy",
		"\x80\x05\x95": "pickle", "SQLite format 3\x00": "SQLite", "SQLite format 3\x00\r\x00x": "SQLite",
		"{\"label\": 1}\n": "JSON",
		"\ufeff\r\n{":      "JSON", "<!DOCTYPE html>": "HTML",
		"version https://git-lfs.github.com/spec/v1\n": "Git LFS",
		"tree\nversion=v4\n":                           "a model",
		"label,f\r1,2\r":                               "CR alone", "1 qid:1 1:2\r0 qid:1": "CR alone",
		strings.Repeat("a", 257) + "ustar\x0000": "tar archive", "12345678DUCK\r000": "DuckDB",
		"[{\"label\": 1}]": "JSON", "[\n  {\"label\": 1}": "JSON", "[[1, 2],\n": "JSON",
		"MATLAB 5.0 MAT-file": "MATLAB", "MATLAB 7.3 MAT-file": "MATLAB", "<stata_dta><header>": "Stata",
		"$FL2@(#) SPSS DATA FILE": "SPSS", "%PDF-1.7\n": "PDF",
		"\x89PNG\r\n\x1a\n": "image", "RDX3\nX\n": "a file of R", "X\n\x00\x00\x00\x03": "a file of R"} {
		err := checkText(t, text)
		assert.ErrorIs(t, err, ErrForeign, "%q", text)
		assert.ErrorContains(t, err, want)
	}
	for text, want := range map[string]string{"label;qid;f\n1;1;2\n": ";", "label;qid;f\r\n1;1;2,5\r\n": ";",
		"1;1;2,5\n": ";", "1;1;2.5\n": ";", "label|qid|f\n": "|", "1\x011\x012\n": "\x01"} {
		err := checkText(t, text)
		assert.ErrorIs(t, err, ErrSeparator, "%q", text)
		assert.ErrorContains(t, err, "("+want+")")
	}
	for _, text := range []string{"label,qid,f\n", "label,a;b,c|d\n", "1 qid:1 1:2 # a;b\n", "# a;b\n1 qid:1\n",
		"label\tqid;x\n", "1 qid:a;b 1:2\n", "", "\n", "label\n", "ORC,qid\n", "RDX,qid\n", "2 qid:1 1:1\n",
		"label,f\r", "1,2,a;b;c;d;e\n", "+1 1:0.5 |\n"} {
		assert.NoError(t, checkText(t, text), "%q", text)
	}
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"a.csv", "label;qid;f\n1;1;2\n", ErrSeparator},
		{"a.csv", "label\tqid\tf\n1\t1\t2\n", ErrOneCell},
		{"a.tsv", "label,qid,f\n1,1,2\n", ErrOneCell},
		{"a.csv", "1 qid:1 1:2\n", ErrOneCell},
		{"a.csv", "# made by hand\nlabel,qid,f\n1,1,2\n", ErrOneCell},
		{"a.csv", "label,qid,pri\xe9\n1,1,2\n", ErrEncoding},
		{"a.csv", "label,qid,brand\n1,1,caf\xe9\n", ErrEncoding},
		{"a.csv", "label,qid,brand\n1,1,caf\u00e9\n", nil},
	} {
		o := Options{}
		if strings.Contains(c.text, "brand") {
			o.Categorical = "name:brand"
		}
		_, _, err := readData(t, aid.File(t, c.name, c.text), o)
		assert.ErrorIs(t, err, c.want, "%q", c.text)
	}
}

// TestTextsAreNamedTogether: the error of a text names all columns of texts.
func TestTextsAreNamedTogether(t *testing.T) {
	_, _, err := readData(t, aid.File(t, "a.csv", "label,qid,a,b,c,d\n1,1,x,2,y,z\n"),
		Options{Query: "qid", Ignore: "name:d"})
	assert.ErrorContains(t, err, "categorical_feature=name:a,c makes texts categories, and "+
		"ignore_column=name:a,c ")
	_, _, err = readData(t, aid.File(t, "a.csv", "label,qid,a\n1,1,2026-11-26\n"), Options{Query: "qid"})
	assert.ErrorContains(t, err,
		"write dates as numbers, such as days before the query; categorical_feature=name:a")
}

// TestLabelsInWords: labels that are words are an error that says so.
func TestLabelsInWords(t *testing.T) {
	_, _, err := readData(t, aid.File(t, "a.csv", "label,qid,f\ngood,1,2\n"), Options{})
	assert.ErrorIs(t, err, ErrLabel)
	assert.ErrorContains(t, err, `"good": the label is not a number; words need numbers`)
	_, _, err = readData(t, "testdata/types.parquet", only(t, "words", Options{Query: "int"}, "int"))
	require.Error(t, err)
	o := only(t, "words", Options{Query: "int"}, "int")
	o.Label, o.Ignore = "words", strings.Replace(o.Ignore, "name:", "name:label,", 1)
	_, _, err = readData(t, "testdata/types.parquet", o)
	assert.ErrorContains(t, err, "column words is the label, which is a number")
}
