// Package aid helps tests: with the seed of random ones, and how many of their cases run, with files, with
// peers, and with memory whose neighbors must not be touched.
package aid

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Long reports whether tests should run in their long form: test/long.sh sets LAMBDAMART_LONG.
func Long() bool { return os.Getenv("LAMBDAMART_LONG") != "" }

// All reports whether tests that by default run a part of their cases should run all of them:
// .ci/run sets LAMBDAMART_ALL.
func All() bool { return Long() || os.Getenv("LAMBDAMART_ALL") != "" }

// Seed returns the value of LAMBDAMART_SEED, or 1: the same cases every time. Only test/long.sh draws seeds.
func Seed() uint64 {
	seed, err := strconv.ParseUint(os.Getenv("LAMBDAMART_SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return seed
}

// Random returns a generator that depends on the seed and on the given number.
func Random(number int) *rand.Rand { return rand.New(rand.NewPCG(Seed(), uint64(number))) }

// File writes a file into a new folder, and returns its path.
func File[T string | []byte](t testing.TB, name string, content T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}

// Graded leaves out of the names of objectives that of pairs, which needs pairs and not only grades.
func Graded(objectives []string) []string {
	return slices.DeleteFunc(objectives, func(name string) bool { return name == "pairs" })
}

// Full is a writer that fails with Err after the given number of bytes.
type Full struct {
	Room int
	Err  error
}

func (f *Full) Write(b []byte) (int, error) {
	n := min(len(b), f.Room)
	if f.Room -= n; n < len(b) {
		return n, f.Err
	}
	return n, nil
}

// Table requires that a page has a table that is made from code: after the comment <!-- name --> and before
// the comment that says where it ends. If update, it is written there.
func Table(t testing.TB, page, name, table string, update bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	begin, end := "<!-- "+name+" -->\n", "<!-- end of the table -->\n"
	before, rest, begins := strings.Cut(string(text), begin)
	current, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s: want the lines %s and %s", page, begin, end)
	if update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+table+end+after), 0o666))
		return
	}
	assert.True(t, current == table, "%s: another table: %s", page, name)
}

// InCode returns words in Markdown, each as code, with commas between them.
func InCode(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}
