package table

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

var (
	// ErrForeign means that a file is not ranking data in a form that is read.
	ErrForeign = errors.New("it is no ranking data in text or Parquet")
	// ErrOneCell means that text is not in the format that its name says.
	ErrOneCell = errors.New("the first line has one cell: the data has another format than its name or " +
		"data_format= says; data_format=letor, csv or tsv says which")
	// ErrEncoding means that a name or a category, which models keep, is in another encoding.
	ErrEncoding = errors.New("it is not UTF-8, in which models keep texts: save the data in UTF-8")
	// ErrSeparator means that the cells of a line have another character between them.
	ErrSeparator = errors.New("cells have commas or tabs between them, and these have another character; " +
		"write the file again, as with to_csv(sep=\",\"), and points in numbers")
)

// foreign are the beginnings of files of other forms, and what to do with them.
var foreign = []struct{ begin, what string }{
	{"ARROW1\x00\x00", "Feather (Arrow IPC): write Parquet, as with to_parquet"},
	{"FEA1", "Feather: write Parquet, as with to_parquet"},
	{"\xff\xff\xff\xff", "an Arrow stream: write Parquet"},
	{"Obj\x01", "Avro: write Parquet"},
	{"\x89HDF\r\n", "HDF5: write Parquet, as with to_parquet"},
	{"\x93NUMPY", "a NumPy array: give it to the Python package, or write CSV"},
	{"\x80\x02", pickle}, {"\x80\x03", pickle}, {"\x80\x04", pickle}, {"\x80\x05", pickle},
	{"SQLite format 3\x00", "an SQLite database: write the rows to CSV"},
	{"\xd0\xcf\x11\xe0", "an Excel workbook: save it as CSV"},
	{"\x01\xab\xff\xff", "XGBoost's binary data: give the text that it was made from"},
	{"version https://git-lfs", "a pointer of Git LFS: git lfs pull fetches the file"},
	{"<!DOCTYPE", page}, {"<!doctype", page}, {"<html", page}, {"<?xml", "XML: write CSV"},
	{"MATLAB 5.0 MAT-file", matlab}, {"MATLAB 7.3 MAT-file", matlab},
	{"<stata_dta>", "a data set of Stata: write CSV"}, {"$FL2@(#)", "a data set of SPSS: write CSV"},
	{"%PDF-", "a PDF document"}, {"\x89PNG\r\n", "an image"}, {"\xff\xd8\xff", "an image"},
	{"RDX2\n", r}, {"RDX3\n", r}, {"X\n\x00\x00\x00", r}, {"\x7fELF", "a program"},
	{"@relation", "ARFF: write CSV"}, {"@RELATION", "ARFF: write CSV"},
	{"{", json},
	{"tree\nversion=", "a model: give it as input_model="},
}

const (
	pickle = "a pickle of Python: write Parquet, as with to_parquet"
	json   = "JSON: write CSV or Parquet, as with to_parquet"
	r      = "a file of R: write CSV, as with write.csv, or Parquet"
	matlab = "a file of MATLAB: write CSV"
	page   = "a page of HTML, perhaps an error in place of a download: fetch the file again"
)

// CheckForeign returns an error if the beginning of an input shows that it is not ranking data.
func CheckForeign(in *stream.Input) error {
	head, err := in.Head(headSize)
	if err != nil {
		return err
	}
	what := ""
	text := string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte(stream.Mark)), " \r\n"))
	for _, f := range foreign {
		if strings.HasPrefix(text, f.begin) {
			what = f.what
		}
	}
	switch {
	case strings.HasPrefix(text, "ORC") && strings.ContainsRune(text[:min(len(text), 64)], 0):
		what = "ORC: write Parquet"
	case len(head) > 262 && string(head[257:262]) == "ustar":
		what = "a tar archive: unpack it"
	case len(head) > 12 && string(head[8:12]) == "DUCK":
		what = "a DuckDB database: write Parquet, as with COPY table TO 'rows.parquet'"
	case arrayOfJSON.MatchString(text):
		what = json
	case what == "" && endsLinesWithCR(head):
		what = `text whose lines end with CR alone: convert it, as with tr '\r' '\n'`
	}
	if what != "" {
		return &dataset.Error{Path: in.Name(), Err: ErrForeign, Detail: "it is " + what}
	}
	line, _, _ := strings.Cut(text, "\n")
	if c := separatorOf(line); c != "" {
		return &dataset.Error{Path: in.Name(), Line: 1, Err: ErrSeparator, Detail: c}
	}
	return nil
}

// arrayOfJSON matches an array of objects or arrays.
var arrayOfJSON = regexp.MustCompile(`^\[\s*[{\[]`)

// endsLinesWithCR reports whether lines of text end with CR alone, as far as its beginning shows.
func endsLinesWithCR(head []byte) bool {
	return !bytes.Contains(head, []byte("\n")) && bytes.Contains(bytes.TrimRight(head, "\r"), []byte("\r"))
}

// separatorOf returns the character that is between the cells of a line, if that is neither a comma nor a tab
// nor, as in LETOR text, a blank.
func separatorOf(line string) string {
	line = strings.TrimRight(line, "\r")
	for _, c := range []string{";", "|", "\x01"} {
		cells := strings.Split(line, c)
		if len(cells) < 2 || strings.Contains(line, "\t") || line[0] == '#' { // a comment of LETOR text
			continue
		}
		if !strings.Contains(line, ",") && !strings.Contains(line, ":") || allNumbers(cells) {
			return c
		}
	}
	return ""
}

// allNumbers reports whether cells are numbers, with points or commas in them.
func allNumbers(cells []string) bool {
	for _, cell := range cells {
		if _, err := rows.ParseNumber([]byte(strings.Replace(strings.TrimSpace(cell), ",", ".", 1))); err != nil {
			return false
		}
	}
	return true
}
