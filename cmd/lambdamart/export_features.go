package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/tree"
)

// renamed returns e with the names that a feature map gives, or with its own if there
// is no map. No two features have the same name.
//
// A line of a map is a name in the model, a tab or blanks, and the name in the
// engine. Blank lines are skipped. Every feature that the model uses must be there.
func renamed(e *tree.Ensemble, path string) (*tree.Ensemble, error) {
	copied := *e
	copied.Features = append([]tree.Feature(nil), e.Features...)
	if path == "" {
		return &copied, distinctNames(&copied, "")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &usageError{fmt.Errorf("features: %w", err)}
	}
	defer f.Close()
	names, err := readFeatureMap(f, path, e)
	if err != nil {
		return nil, err
	}
	if err := checkAllNamed(e, names, path); err != nil {
		return nil, err
	}
	for i, name := range names {
		copied.Features[i].Name = name
	}
	return &copied, distinctNames(&copied, path+": ")
}

// readFeatureMap returns the new name of each feature that the map has.
func readFeatureMap(r io.Reader, path string, e *tree.Ensemble) (map[int]string, error) {
	index := make(map[string]int, len(e.Features))
	for i, feature := range e.Features {
		index[feature.Name] = i
	}
	names, lines := map[int]string{}, map[string]int{}
	scanner := bufio.NewScanner(r)
	for number := 1; scanner.Scan(); number++ {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", path, number, fmt.Sprintf(format, args...))
		}
		line := strings.TrimRight(scanner.Text(), " \t\r")
		if line == "" {
			continue
		}
		old, name := splitMapLine(line)
		if name == "" {
			return nil, fail("%q: write the model's name of a feature, a tab, and the engine's name", line)
		}
		i, known := index[old]
		if !known {
			return nil, fail("the model has no feature %q", old)
		}
		if _, twice := names[i]; twice {
			return nil, fail("feature %q is there a second time", old)
		}
		if before, twice := lines[name]; twice {
			return nil, fail("name %q is given a second time, after line %d", name, before)
		}
		names[i], lines[name] = name, number
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return names, nil
}

// splitMapLine divides a line at its first tab, or at its first blanks.
func splitMapLine(line string) (old, name string) {
	if old, name, found := strings.Cut(line, "\t"); found {
		return strings.TrimSpace(old), strings.TrimSpace(name)
	}
	old, name, _ = strings.Cut(strings.TrimSpace(line), " ")
	return old, strings.TrimSpace(name)
}

// checkAllNamed finds features that the model uses and the map does not have.
func checkAllNamed(e *tree.Ensemble, names map[int]string, path string) error {
	var missing []string
	for _, i := range e.UsedFeatures() {
		if _, found := names[i]; !found {
			missing = append(missing, fmt.Sprintf("%q", e.Features[i].Name))
		}
	}
	if missing == nil {
		return nil
	}
	const shown = 10
	more := ""
	if n := len(missing); n > shown {
		missing, more = missing[:shown], fmt.Sprintf(" and %d more", n-shown)
	}
	return fmt.Errorf("%s: the model uses features that have no name there: %s%s", path, strings.Join(missing, ", "), more)
}

// withOrdinals returns e with its features at the columns that their names are: those
// of a map for RankLib, which has no other names. e has checked names.
func withOrdinals(e *tree.Ensemble, path string) (*tree.Ensemble, error) {
	column := make([]int32, len(e.Features))
	most := 0
	for _, i := range e.UsedFeatures() {
		ordinal, err := strconv.Atoi(e.Features[i].Name)
		if err != nil || ordinal < 1 || ordinal > maxOrdinal {
			return nil, fmt.Errorf("%s: %q: RankLib's features are numbers, 1 to %d, in the order of the feature set", path, e.Features[i].Name, maxOrdinal)
		}
		column[i], most = int32(ordinal), max(most, ordinal)
	}
	moved := *e
	moved.Features, moved.Trees = make([]tree.Feature, most+1), slices.Clone(e.Trees)
	for i := range moved.Features {
		moved.Features[i].Name = strconv.Itoa(i)
	}
	for i := range moved.Trees {
		t := &moved.Trees[i]
		t.Feature = slices.Clone(t.Feature)
		for node, f := range t.Feature {
			t.Feature[node] = column[f]
		}
	}
	return &moved, nil
}

const maxOrdinal = 1 << 20

func distinctNames(e *tree.Ensemble, prefix string) error {
	first := make(map[string]int, len(e.Features))
	for i, f := range e.Features {
		if before, twice := first[f.Name]; twice {
			return fmt.Errorf("%sfeatures %d and %d would both be called %q", prefix, before, i, f.Name)
		}
		first[f.Name] = i
	}
	return nil
}
