package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const before = `package p

const most = 3

func (t *T) f(a, b int) bool {
	if a < b {
		return true
	}
	if a < b {
		return !(a+1 == -b)
	}
	return t.text == "1 + 1"
}
`

// after is the declarations of before in the other order, with another line in f.
const after = `package p

func (t *T) f(a, b int) bool {
	b += most
	if a < b {
		return true
	}
	if a < b {
		return !(a+1 == -b)
	}
	return t.text == "1 + 1"
}

const most = 3
`

func parsed(t *testing.T, path, source string) file {
	f, err := parse(path, []byte(source))
	require.NoError(t, err)
	return f
}

func TestEveryOperatorAndNumberIsChanged(t *testing.T) {
	var changed []string
	for _, m := range shuffled([]file{parsed(t, "p/a.go", before)}, "p", 1) {
		changed = append(changed, m.declaration+" "+m.occurrence+" "+m.changed)
	}
	slices.Sort(changed)
	assert.Equal(t, []string{
		"(*T).f 1 if a <= b {",
		"(*T).f 1 if a >= b {",
		"(*T).f 1 return !(a+(1 + 1) == -b)",
		"(*T).f 1 return !(a+1 != -b)",
		"(*T).f 1 return !(a+1 == b)",
		"(*T).f 1 return !(a-1 == -b)",
		"(*T).f 1 return (a+1 == -b)",
		"(*T).f 1 return false",
		`(*T).f 1 return t.text != "1 + 1"`,
		"(*T).f 2 if a <= b {",
		"(*T).f 2 if a >= b {",
		"const 1 const most = (3 + 1)",
	}, changed)
}

// TestMutantsAreFoundAgain: in the same file, and after their declaration has moved to another one.
func TestMutantsAreFoundAgain(t *testing.T) {
	f := parsed(t, "p/a.go", before)
	moved := []file{parsed(t, "p/a.go", "package p\n"), parsed(t, "p/b.go", after)}
	for _, m := range shuffled([]file{f}, "p", 1) {
		path, source := m.apply([]file{f})
		assert.Equal(t, "p/a.go", path)
		assert.Equal(t, 1, differences(before, string(source)), m.changed)

		path, source = m.apply(moved)
		assert.Equal(t, "p/b.go", path)
		assert.Equal(t, 1, differences(after, string(source)), m.changed)
	}
}

// differences returns how many lines differ between texts of equally many.
func differences(a, b string) (n int) {
	other := strings.Split(b, "\n")
	for i, line := range strings.Split(a, "\n") {
		if line != other[i] {
			n++
		}
	}
	return n
}

func TestMutantsWithoutTheirLineAreGone(t *testing.T) {
	changed := parsed(t, "p/a.go", strings.ReplaceAll(before, "a < b", "b > a"))
	for _, m := range shuffled([]file{parsed(t, "p/a.go", before)}, "p", 1) {
		path, _ := m.apply([]file{changed})
		assert.Equal(t, strings.Contains(m.text, "a < b"), path == "", m.text)
	}
}

func TestRecordsAreReadAsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.tsv")
	rows := shuffled([]file{parsed(t, "p/a.go", before)}, "p", 1)
	rows[0].result, rows[0].by, rows[0].commit = killed, "TestOne", "0123456789"
	require.NoError(t, writeRecord(path, rows))
	got, err := readRecord(path)
	require.NoError(t, err)
	assert.Equal(t, rows, got)
}

func TestKillers(t *testing.T) {
	assert.Equal(t, "TestOne", killer("--- FAIL: TestOne (0.00s)\n    --- FAIL: TestOne/a (0.00s)\n"))
	assert.Equal(t, "panic: test timed out", killer("panic: test timed out after 1m0s\n"))
	assert.Equal(t, "build failed", killer("FAIL\tp [build failed]\n"))
	assert.Equal(t, "crash", killer("fatal error: all goroutines are asleep - deadlock!\n"))
}
