package table

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// Format is a format of ranking data. The empty Format means the same as [Auto], which detects it by content
// and name. Data is LETOR text (package letor) or a table: CSV, TSV or Parquet. The rules, in this order:
//
//  1. A folder is a table in parts. So is a file whose name, without .gz, .gzip, .zst or .zstd, ends in .csv,
//     .tsv, .tab or .parquet, and a file that begins with PAR1, as Parquet does.
//  2. Text whose first line has commas or tabs is a table, unless it begins like a LETOR row: with a number
//     and, after a blank, "qid:" or a number with a colon.
//  3. Everything else is LETOR text.
//
// A table that does not begin with PAR1 is TSV if its name ends in .tsv or .tab, Parquet if it ends in
// .parquet, CSV if it ends in .csv, and otherwise TSV if its first line has more tabs than commas.
type Format string

const (
	Auto    Format = "auto" // detected from the content and the name
	LETOR   Format = "letor"
	CSV     Format = "csv"     // text with commas
	TSV     Format = "tsv"     // text with tabs
	Parquet Format = "parquet" // Apache Parquet
)

// IsAuto reports whether the format has yet to be detected.
func (f Format) IsAuto() bool { return f == "" || f == Auto }

// IsTable reports whether f is a format of tables.
func (f Format) IsTable() bool { return f == CSV || f == TSV || f == Parquet }

// Of returns the format of the data at path, of which in is the first file: f itself unless it is Auto, or a
// folder.
func (f Format) Of(path string, in *stream.Input) (Format, error) {
	switch {
	case isFolder(path, in):
		return f.ofTable(in), nil
	case !f.IsAuto():
		return f, nil
	case path != "-" && IsTablePath(path):
		return f.ofTable(in), nil
	}
	head, err := in.Head(headSize)
	if err != nil {
		return Auto, err
	}
	if resembles(head) {
		return f.ofTable(in), nil
	}
	return LETOR, nil
}

// isFolder reports whether a file is one in the folder at path.
func isFolder(path string, in *stream.Input) bool { return path != "-" && in.Name() != path }

// headSize is the number of bytes at the beginning of a file from which its format is detected.
const headSize = 1 << 16

// IsTablePath reports whether the path is probably a table and not another kind of text: a folder, a file
// that begins as Parquet does, or a name with the ending of a table. It returns
// false if the file cannot be read.
func IsTablePath(path string) bool {
	switch extension(path) {
	case ".csv", ".tsv", ".tab", ".parquet":
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || stream.Beginning(path, len(parquet.Mark)) == parquet.Mark
}

// extension returns the ending of a name that determines the format of the file.
func extension(path string) string {
	name := strings.ToLower(path)
	for _, compression := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, compression)
	}
	return filepath.Ext(name)
}

// ofTable returns the format of a file that is known to be a table: f itself if it is a format of tables.
func (f Format) ofTable(in *stream.Input) Format {
	if f.IsTable() {
		return f
	}
	if isParquet(in) {
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

// isParquet reports whether a file begins as Parquet does.
func isParquet(in *stream.Input) bool {
	var mark [len(parquet.Mark)]byte
	if !in.Seekable() {
		return false
	}
	n, _ := in.ReadAt(mark[:], 0)
	return string(mark[:n]) == parquet.Mark
}

// resembles reports whether the beginning of a file looks like a table and not like LETOR text.
func resembles(head []byte) bool {
	if bytes.HasPrefix(head, []byte(parquet.Mark)) {
		return true
	}
	head = bytes.TrimPrefix(head, []byte(stream.Mark))
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n"), []byte{'\n'})
	if len(line) == 0 || line[0] == '#' || !bytes.ContainsAny(line, "\t,") {
		return false
	}
	return !beginsAsLETOR(line)
}

// beginsAsLETOR reports whether a line begins with a number and, after a blank, "qid:", a number with a
// colon, or a comment. It returns false for a line of one word.
func beginsAsLETOR(line []byte) bool {
	words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })
	if len(words) < 2 {
		return len(words) == 0
	}
	if _, err := rows.ParseNumber(words[0]); err != nil {
		return false
	}
	key, _, found := bytes.Cut(words[1], []byte{':'})
	if !found {
		return words[1][0] == '#'
	}
	_, err := rows.ParseNumber(key)
	return string(key) == "qid" || err == nil
}
