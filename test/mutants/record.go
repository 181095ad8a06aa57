package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// What became of a mutant.
const (
	killed   = "killed"
	survived = "survived"
	gone     = "gone"
)

// mutant is a change, and what became of it when it was last tried.
type mutant struct {
	change
	result string
	by     string // the test that killed it
	commit string
}

// change is a changed line.
type change struct {
	folder, seed, file string
	line
	changed string
}

const header = "folder\tseed\tfile\tdeclaration\toccurrence\tline\tchanged\tresult\tby\tcommit"

// String returns the line of the record.
func (m mutant) String() string {
	return strings.Join([]string{m.folder, m.seed, m.file, m.declaration, m.occurrence, m.text, m.changed,
		m.result, m.by, m.commit}, "\t")
}

func readRecord(path string) (rows []mutant, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i, row := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		c := strings.Split(row, "\t")
		if len(c) != 10 {
			return nil, fmt.Errorf("%s:%d: want the columns %s", path, i+1, header)
		}
		if row != header {
			rows = append(rows, mutant{change{c[0], c[1], c[2], line{c[3], c[4], c[5]}, c[6]}, c[7], c[8], c[9]})
		}
	}
	return rows, err
}

// writeRecord sorts the lines by folders; those of a folder stay in the order in which they were drawn.
func writeRecord(path string, rows []mutant) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b mutant) int { return strings.Compare(a.folder, b.folder) })
	text := header + "\n"
	for _, m := range rows {
		text += m.String() + "\n"
	}
	return os.WriteFile(path, []byte(text), 0o666)
}
