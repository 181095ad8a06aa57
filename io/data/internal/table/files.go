package table

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// OpenFiles opens the files of the table at path, in the order of their names: the file itself, or the parts
// in a folder. All of them stay open.
func OpenFiles(path string, opts stream.Options) ([]*stream.Input, error) {
	paths, err := partsOf(path)
	if err != nil {
		return nil, err
	}
	var inputs []*stream.Input
	for _, path := range paths {
		in, err := stream.Open(path, opts)
		if err != nil {
			stream.CloseAll(inputs)
			if errors.Is(err, syscall.EMFILE) && len(paths) > 1 {
				err = fmt.Errorf("%w above the %d parts of the table, or make fewer parts", err, len(paths))
			}
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// partsOf returns the files of a table, in the order of their names.
func partsOf(path string) ([]string, error) {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		return []string{path}, nil // opening it reports what is wrong
	}
	if err := checkUnmanaged(path); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		full := filepath.Join(path, e.Name())
		info, err := os.Stat(full)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir() && strings.Contains(e.Name(), "="):
			return nil, &dataset.Error{Path: full, Err: ErrPartition}
		case info.IsDir():
			return nil, &dataset.Error{Path: full, Err: ErrSubfolder}
		case !info.Mode().IsRegular(): // a pipe would be waited for
			return nil, &dataset.Error{Path: full, Err: ErrNoFile, Detail: info.Mode().Type().String()}
		}
		paths = append(paths, full)
	}
	if len(paths) == 0 {
		return nil, &dataset.Error{Path: path, Err: ErrNoParts}
	}
	return paths, nil
}

// manager is a program that keeps a log of the files in a folder.
type manager struct {
	has     string // a pattern that a name in the folder matches
	without string // a pattern that no name in the folder matches then; empty: any
	what    string
	advice  string
}

// managed are the folders in which a log says which rows of the files are current. Deleted rows, older
// versions and rows of jobs that failed are in the same files, or in files beside them.
var managed = []manager{
	{"_delta_log", "", "a Delta table", "delta_scan('PATH') of DuckDB or spark.read.format(\"delta\") reads it"},
	{"metadata/*.metadata.json", "", "an Iceberg table", iceberg},
	{"metadata/version-hint.text", "", "an Iceberg table", iceberg},
	{".hoodie", "", "a Hudi table", hudi},
	{".hoodie_partition_metadata", "", "a part of a Hudi table", hudi},
	{"_versions", "", "a Lance table", "lance.dataset('PATH').to_table() reads it"},
	{"snapshot/snapshot-*", "", "a Paimon table", "spark.read.format(\"paimon\") reads it"},
	{"_spark_metadata", "", "a table that Spark Structured Streaming wrote", "spark.read.parquet reads it"},
	{"_temporary", "_SUCCESS", unfinished, finish},
	{"__magic*", "_SUCCESS", unfinished, finish},         // of Hadoop's committer for S3
	{".spark-staging-*", "_SUCCESS", unfinished, finish}, // of partitions that Spark overwrites
	{"_started_*", "_committed_*", unfinished, finish},   // of Databricks
}

const (
	iceberg    = "iceberg_scan('PATH') of DuckDB or spark.read.format(\"iceberg\") reads it"
	hudi       = "spark.read.format(\"hudi\") reads it"
	unfinished = "a folder that a job is writing, or whose job failed"
	finish     = "run the job to its end first"
)

// checkUnmanaged returns an error if the rows of a folder are not all rows of its files.
func checkUnmanaged(folder string) error {
	for _, folder := range withParents(folder) {
		for _, m := range managed {
			if found := m.in(folder); found != "" {
				return &dataset.Error{Path: folder, Err: ErrManaged,
					Detail: "it is " + m.what + ", for its " + found + "; " + m.advice}
			}
		}
	}
	return nil
}

// in returns the name of the file that shows that a folder is managed in this way, or nothing.
func (m *manager) in(folder string) string {
	files := os.DirFS(folder)
	found, _ := fs.Glob(files, m.has) // reading the folder reports errors
	if len(found) == 0 {
		return ""
	}
	if ended, _ := fs.Glob(files, m.without); len(ended) > 0 {
		return ""
	}
	return path.Base(found[0])
}

// isBelow matches the names of the folders in tables.
var isBelow = regexp.MustCompile(`=|^(data|bucket-\d+)$`)

// withParents returns a folder and, if it is a partition or the data of a table, such as t/data/day=1, those
// that it is in.
func withParents(folder string) []string {
	all := []string{folder}
	whole, err := filepath.Abs(folder)
	if err != nil {
		return all
	}
	for isBelow.MatchString(filepath.Base(whole)) {
		whole = filepath.Dir(whole)
		all = append(all, whole)
	}
	return all
}
