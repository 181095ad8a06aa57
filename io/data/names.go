package data

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

// ErrNames means that Layout.Names does not fit: the data is not LETOR text, the file is not a list of names,
// or the model that the data is read for has another name for a feature.
var ErrNames = errors.New("feature_names does not fit")

// featureNames returns the names of the columns of LETOR text by Layout.Names, which is not empty.
//
// zero means that the features are numbered from 0.
func (l *Layout) featureNames(zero bool) ([]string, error) {
	var given map[int]string // by column
	if list, isList := strings.CutPrefix(l.Names, named); isList {
		given = map[int]string{}
		for i, name := range strings.Split(list, ",") {
			given[l.first(zero)+i] = table.Name(name)
		}
	} else if err := stream.ReadFile(l.Names, func(r io.Reader, _ string) (err error) {
		given, err = l.readNames(r, zero)
		return err
	}); err != nil {
		return nil, err
	}
	last := -1
	for column := range given {
		last = max(last, column)
	}
	names := wording.ColumnNames(last + 1)
	for column, name := range given {
		names[column] = name
	}
	return names, checkNames(l.Names, names)
}

// first returns the column of the first feature that LETOR text has.
func (l *Layout) first(zero bool) int {
	if zero || l.FeatureBase == 1 {
		return 0
	}
	return 1
}

// readNames reads a file of names.
func (l *Layout) readNames(r io.Reader, zero bool) (map[int]string, error) {
	given, scanner := map[int]string{}, bufio.NewScanner(r)
	for line := 1; scanner.Scan(); line++ {
		column, name, err := l.nameOf(line, scanner.Text(), zero)
		if err == nil && given[column] != "" {
			err = fmt.Errorf("the feature is %q already", given[column])
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d:1: %w", ErrNames, l.Names, line, err)
		}
		given[column] = name
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNames, l.Names, err)
	}
	return given, nil
}

// nameOf reads a line of a file of names. The n-th line, if it has a name alone, names the n-th feature.
// Other lines name a feature by its number in the text, or by the column's default name.
func (l *Layout) nameOf(line int, text string, zero bool) (column int, name string, err error) {
	first, rest, both := strings.Cut(text, "\t")
	if strings.HasPrefix(first, stream.Mark) {
		return 0, "", fmt.Errorf("%q: %w", text, stream.ErrMark)
	}
	if !both {
		return l.first(zero) + line - 1, table.Name(text), nil
	}
	number, isDefault := strings.CutPrefix(first, "Column_")
	column, err = strconv.Atoi(number)
	if !isDefault {
		column -= l.FeatureBase
	}
	if err != nil || column < 0 || column >= mostNames {
		return 0, "", fmt.Errorf("%q is not the number of a feature; write the number, a tab and the name, or "+
			"the name alone", first)
	}
	return column, table.Name(rest), nil
}

// mostNames is the number of features that names may have: each number up to the last takes memory.
const mostNames = 1 << 20

// checkNames returns an error for names that a model cannot hold.
func checkNames(path string, names []string) error {
	for i, name := range names {
		if name == "" || strings.ContainsAny(name, `",:[]{}`) {
			return fmt.Errorf("%w: %s: %q is the name of column %d: %w", ErrNames, path, name, i, table.ErrName)
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("%w: %s: %q comes twice", ErrNames, path, sorted[i])
		}
	}
	return nil
}

// namesFor returns the names of the features of LETOR text: nil for the default ones. Data that is read for a
// model must have the model's.
func (o *Options) namesFor(path string, numbering dataset.Numbering) ([]string, error) {
	if o.Names == "" {
		return nil, nil
	}
	names, err := o.Layout.featureNames(numbering == dataset.FromZero)
	if err != nil || o.Features == nil {
		return names, err
	}
	for i := range min(len(names), len(o.Features.Names)) {
		if names[i] != o.Features.Names[i] {
			return nil, fmt.Errorf("%w: %s calls column %d %q, and the model %q: leave it out where %s is read for "+
				"the model, which has the names that it was trained with",
				ErrNames, o.Names, i, names[i], o.Features.Names[i], path)
		}
	}
	return names, nil
}

// ErrBase means that Layout.FeatureBase is 1 for data that is not LETOR text.
var ErrBase = errors.New("feature_base=1 is how LETOR text numbers features: leave it out")

// refuseText returns an error if the layout names or numbers the features of LETOR text, because the data at
// path is a table. Where the training data counts from 1, FeatureBase is not the caller's.
func (o *Options) refuseText(path string) error {
	switch {
	case o.amongOthers:
	case o.Names != "":
		return o.refuseNames(path)
	case o.FeatureBase == 1 && (o.Features == nil || o.Features.Numbering != dataset.FromOne):
		return fmt.Errorf("%s is a table: %w", path, ErrBase)
	}
	return nil
}

// refuseNames returns the error of names for data that is not LETOR text.
func (l *Layout) refuseNames(what string) error {
	return fmt.Errorf("%w: %s is not LETOR text, whose features feature_names=%s names: leave it out, since "+
		"tables and binned data have names", ErrNames, what, l.Names)
}
