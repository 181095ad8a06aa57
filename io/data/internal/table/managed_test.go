package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// filesIn makes files in a new folder and returns its path.
func filesIn(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a[b]")
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		text := "label,qid,f\n1,1,2\n"
		if !strings.HasSuffix(name, ".csv") {
			text = "a note\n"
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return dir
}

// TestManagedTables: a folder whose log says which rows of its files are current is refused, as are its
// partitions, with how to read it.
func TestManagedTables(t *testing.T) {
	for want, names := range map[string][]string{
		"for its _delta_log; delta_scan('PATH') of DuckDB": {"_delta_log/0.json", "a.csv"},
		"a Delta table, for its _delta_log":                {"_delta_log/0.json", "day=1/hour=2/a.csv"},
		"iceberg_scan('PATH')":                             {"metadata/v1.metadata.json", "data/day=1/a.csv"},
		"for its version-hint.text":                        {"metadata/version-hint.text", "data/a.csv"},
		"a Hudi table":                                     {".hoodie/hoodie.properties", "a.csv"},
		"a part of a Hudi table":                           {".hoodie_partition_metadata", "a.csv"},
		"a Lance table":                                    {"_versions/1.manifest", "data/a.csv"},
		"Spark Structured Streaming":                       {"_spark_metadata/0", "a.csv"},
		"that a job is writing, or whose job":              {"_temporary/0/x", "a.csv"},
		"whose job failed, for its _started_7":             {"_started_7", "a.csv"},
		"whose job failed, for its __magic":                {"__magic/x", "a.csv"},
		"whose job failed, for its .spark-staging-7":       {".spark-staging-7/x", "a.csv"},
		"a Paimon table":                                   {"snapshot/snapshot-1", "day=1/bucket-0/a.csv"},
		"the rows of this folder are not all r":            {"_delta_log/0.json", "a.csv"},
	} {
		dir := filesIn(t, names...)
		paths := []string{filepath.Dir(filepath.Join(dir, filepath.FromSlash(names[1])))}
		if !strings.Contains(want, "part of") {
			paths = append(paths, dir)
		}
		for _, path := range paths {
			_, err := OpenFiles(path, stream.Options{})
			assert.ErrorIs(t, err, ErrManaged, path)
			assert.ErrorContains(t, err, want)
		}
	}
	for _, names := range [][]string{{"a.csv", "_SUCCESS"}, {"_temporary/0/x", "_SUCCESS", "a.csv"},
		{"_started_7", "_committed_7", "a.csv"},
		{"_metadata", "_common_metadata", "a.csv"}} {
		inputs, err := OpenFiles(filesIn(t, names...), stream.Options{})
		require.NoError(t, err, names)
		require.NoError(t, stream.CloseAll(inputs))
	}
}

// TestStrayFiles: a file that is no part of the table is named, whatever its place among the parts. What is
// no file is not waited for.
func TestStrayFiles(t *testing.T) {
	for stray, want := range map[string]error{"README.txt": ErrStray, "z.txt": ErrOtherHeader,
		"b.parquet": ErrMixedParts} {
		_, err := Open(filesIn(t, "a.csv", "c.csv", stray), Options{})
		assert.ErrorIs(t, err, want, stray)
		assert.ErrorContains(t, err, stray)
	}
	dir := filesIn(t, "part-0.orc")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "part-0.orc"), []byte("ORC\n\x03\x00\x00"), 0o666))
	_, err := Open(dir, Options{})
	assert.ErrorContains(t, err, "part-0.orc: it is no ranking data in text or Parquet "+
		"(it is ORC: write Parquet)")
	dir = filesIn(t, "a.csv")
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "link.csv")))
	_, err = Open(dir, Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "link.csv")
	require.NoError(t, os.Remove(filepath.Join(dir, "link.csv")))
	require.NoError(t, os.Symlink("a.csv", filepath.Join(dir, "link.csv")))
	_, err = Open(dir, Options{})
	assert.NoError(t, err)
}
