package table

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// manager is a program that keeps a log of the files in a folder.
type manager struct {
	has     string // a pattern that a name in the folder matches
	without string // a name that the folder does not have then; empty: any
	what    string
	read    string // how to read its rows
}

// managed are the folders in which a log says which rows of the files are current. Deleted rows, older
// versions and rows of jobs that failed are in the same files, or in files beside them.
var managed = []manager{
	{"_delta_log", "", "a Delta table", "delta_scan('PATH') of DuckDB or spark.read.format(\"delta\")"},
	{"metadata/*.metadata.json", "", "an Iceberg table", "iceberg_scan('PATH') of DuckDB or " +
		"spark.read.format(\"iceberg\")"},
	{"metadata/version-hint.text", "", "an Iceberg table", "iceberg_scan('PATH') of DuckDB or " +
		"spark.read.format(\"iceberg\")"},
	{".hoodie", "", "a Hudi table", "spark.read.format(\"hudi\")"},
	{".hoodie_partition_metadata", "", "a part of a Hudi table", "spark.read.format(\"hudi\")"},
	{"_versions", "", "a Lance table", "lance.dataset('PATH').to_table()"},
	{"_spark_metadata", "", "a table that Spark Structured Streaming wrote", "spark.read.parquet"},
	{"_temporary", "_SUCCESS", "a folder that a job is writing, or whose job failed", "the job that writes it, " +
		"to its end"},
}

// checkUnmanaged returns an error if the rows of a folder are not all rows of its files.
func checkUnmanaged(folder string) error {
	for _, folder := range withParents(folder) {
		for _, m := range managed {
			if found := m.in(folder); found != "" {
				return &dataset.Error{Path: folder, Err: ErrManaged, Detail: "it is " + m.what + ", for its " + found +
					"; " + m.read + " reads it"}
			}
		}
	}
	return nil
}

// in returns the name of the file that shows that a folder is managed in this way, or nothing.
func (m *manager) in(folder string) string {
	files := os.DirFS(folder)
	if _, err := fs.Stat(files, m.without); m.without != "" && err == nil {
		return ""
	}
	found, _ := fs.Glob(files, m.has) // reading the folder reports errors
	if len(found) == 0 {
		return ""
	}
	return path.Base(found[0])
}

// withParents returns a folder and, if it is a partition or the data of a table, such as t/data/day=1, those
// that it is in.
func withParents(folder string) []string {
	all := []string{folder}
	whole, err := filepath.Abs(folder)
	if err != nil {
		return all
	}
	for strings.Contains(filepath.Base(whole), "=") || filepath.Base(whole) == "data" {
		whole = filepath.Dir(whole)
		all = append(all, whole)
	}
	return all
}
