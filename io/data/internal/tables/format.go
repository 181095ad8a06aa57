package tables

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/decimal"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// The form of ranking data is found out by its content and its name.
//
// Data is LETOR text (package letor), or a table: CSV, TSV or Parquet (package table).
// A file is judged in this order:
//
//  1. A folder is a table in parts. So is a file whose name, less .gz, .gzip, .zst or .zstd, ends
//     in .csv, .tsv, .tab or .parquet, and one that begins with PAR1, as Parquet does.
//  2. Text whose first line has commas or tabs is a table, unless it begins as a row of LETOR does:
//     with a number and, after a blank, "qid:" or a number with a colon.
//  3. Everything else is LETOR text.
//
// A table that does not begin with PAR1 is TSV if its name ends in .tsv or .tab, Parquet if it ends
// in .parquet, CSV if it ends in .csv, and else TSV if its first line has more tabs than commas.

// Format is a form of data. The empty Format means the same as [Auto].
type Format string

const (
	Auto    Format = "auto" // found out from the content and the name
	LETOR   Format = "letor"
	CSV     Format = "csv"     // text with commas
	TSV     Format = "tsv"     // text with tabs
	Parquet Format = "parquet" // Apache Parquet
)

// IsAuto reports whether the form is still to be found out.
func (f Format) IsAuto() bool { return f == "" || f == Auto }

// IsTable reports whether f is one of the forms of a table.
func (f Format) IsTable() bool { return f == CSV || f == TSV || f == Parquet }

// Of returns the form of the file at path, which is open as in: f itself unless it is Auto.
func (f Format) Of(path string, in *stream.Input) (Format, error) {
	if !f.IsAuto() {
		return f, nil
	}
	if path != "-" && IsTablePath(path) {
		return f.OfTable(in), nil
	}
	head, err := in.Head(headSize)
	if err != nil {
		return Auto, err
	}
	if Resembles(head) {
		return f.OfTable(in), nil
	}
	return LETOR, nil
}

// headSize is the number of bytes at the beginning of a file from which its form is found out.
const headSize = 1 << 16

// IsTablePath reports whether a path looks like that of a table and not of text of another kind: it
// is a folder, begins as Parquet does, or has the name of a table. A file that cannot be read does
// not.
func IsTablePath(path string) bool {
	switch extension(path) {
	case ".csv", ".tsv", ".tab", ".parquet":
		return true
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() || !info.Mode().IsRegular() {
		return err == nil && info.IsDir()
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isParquet(f)
}

func isParquet(in io.ReaderAt) bool {
	var mark [len(parquet.Mark)]byte
	n, _ := in.ReadAt(mark[:], 0)
	return string(mark[:n]) == parquet.Mark
}

// extension returns the end of a name that says in which form the file is written.
func extension(path string) string {
	name := strings.ToLower(path)
	for _, compression := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, compression)
	}
	return filepath.Ext(name)
}

// OfTable returns the form of a file that is known to be a table: f itself if it is one of a table.
func (f Format) OfTable(in *stream.Input) Format {
	if f.IsTable() {
		return f
	}
	if in.Seekable() && isParquet(in) {
		return Parquet
	}
	switch extension(in.Name()) {
	case ".tsv", ".tab":
		return TSV
	case ".parquet":
		return Parquet
	case ".csv":
		return CSV
	}
	head, err := in.Head(headSize)
	if err != nil {
		return CSV // reading it reports the error
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n"), []byte{'\n'})
	if bytes.Count(line, []byte{'\t'}) > bytes.Count(line, []byte{','}) {
		return TSV
	}
	return CSV
}

// Resembles reports whether the beginning of a file looks like a table and not like LETOR text.
func Resembles(head []byte) bool {
	if bytes.HasPrefix(head, []byte(parquet.Mark)) {
		return true
	}
	head = bytes.TrimPrefix(head, rows.ByteOrderMark)
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n"), []byte{'\n'})
	if len(line) == 0 || line[0] == '#' || !bytes.ContainsAny(line, "\t,") {
		return false
	}
	return !beginsAsLETOR(line)
}

// beginsAsLETOR reports whether a line begins with a number and, after a blank, "qid:", a number
// with a colon, or a comment. A line of one word does not, and neither does a blank one look like a
// table.
func beginsAsLETOR(line []byte) bool {
	words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })
	if len(words) < 2 {
		return len(words) == 0
	}
	if _, err := decimal.Parse(words[0]); err != nil {
		return false
	}
	key, _, found := bytes.Cut(words[1], []byte{':'})
	if !found {
		return words[1][0] == '#'
	}
	_, err := decimal.Parse(key)
	return string(key) == "qid" || err == nil
}
