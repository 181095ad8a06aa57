package study

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/data"
)

// Split is a fold: its files and, after a comparison, what is known about its test file.
type Split struct {
	Name              string
	Train, Vali, Test string // files

	Queries, Documents int // of Test
	Leaked             int // queries of Test whose id also occurs in Train
}

// ErrNoData is wrapped by the error for a folder without a split.
var ErrNoData = errors.New("no data to compare rankers on")

// foldFolder matches the names of folders that are folds.
var foldFolder = regexp.MustCompile(`^(?i:fold)[-_ ]?([0-9]+)$`)

// findSplits returns the split that a folder holds, or the splits of its folders Fold1, Fold2, ..., in
// the order of their numbers.
func findSplits(folder string) ([]Split, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	own, found, err := splitIn(folder, entries)
	if err != nil {
		return nil, err
	}
	folds := foldsAmong(entries)
	switch {
	case found && len(folds) > 0:
		return nil, fmt.Errorf("%s: holds both train and test files and folders of folds; "+
			"name the one or the other", folder)
	case found:
		return []Split{own}, nil
	case len(folds) == 0:
		return nil, fmt.Errorf("%w: %s has neither the files train, vali and test nor folders Fold1, Fold2, …",
			ErrNoData, folder)
	}
	var splits []Split
	for _, name := range folds {
		path := filepath.Join(folder, name)
		inside, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		s, found, err := splitIn(path, inside)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("%w: %s has not the files train, vali and test", ErrNoData, path)
		}
		splits = append(splits, s)
	}
	return splits, nil
}

func foldsAmong(entries []os.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if e.IsDir() && foldFolder.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(foldFolder.FindStringSubmatch(name)[1])
		return n
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(number(a), number(b)),
			cmp.Compare(a, b))
	})
	return names
}

// splitFiles lists the files of a split, each with the names that it may have.
var splitFiles = [][]string{{"train"}, {"vali", "valid", "validation"}, {"test"}}

// splitIn finds a split among the entries of a folder. found is false if the folder has none of the files of
// a split.
func splitIn(folder string, entries []os.DirEntry) (s Split, found bool, err error) {
	var paths [3]string
	for i, names := range splitFiles {
		for _, e := range entries {
			stem, rest, _ := strings.Cut(e.Name(), ".")
			if e.IsDir() && !strings.HasSuffix(rest, "parquet") || !slices.Contains(names, stem) || isCompanion(rest) {
				continue
			}
			if paths[i] != "" {
				return s, false, fmt.Errorf("%s: both %s and %s could be meant; keep one", folder,
					filepath.Base(paths[i]), e.Name())
			}
			paths[i], found = filepath.Join(folder, e.Name()), true
		}
	}
	if !found {
		return s, false, nil
	}
	for i, path := range paths {
		if path == "" {
			return s, false, fmt.Errorf("%w: %s has no file %s", ErrNoData, folder, splitFiles[i][0])
		}
	}
	absolute, err := filepath.Abs(folder)
	return Split{Name: filepath.Base(absolute), Train: paths[0], Vali: paths[1], Test: paths[2]}, true, err
}

// isCompanion reports whether a file with this ending is a companion, or has no feature values.
func isCompanion(ending string) bool {
	for _, companion := range append([]string{".bin"}, data.Companions("")...) {
		if strings.HasSuffix("."+ending, companion) {
			return true
		}
	}
	return strings.Contains("."+ending, ".label.")
}
