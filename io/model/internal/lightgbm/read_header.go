package lightgbm

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

var headerKeys = keySet("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx",
	"objective", "average_output", "feature_names", "monotone_constraints", "feature_infos", "tree_sizes")

func keySet(keys ...string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// readHeader reads up to the first tree, or to the end of the trees if there is none, and leaves
// the reader at that line.
func (m *modelReader) readHeader() error {
	if !m.lines.next() {
		return m.fail("", fmt.Errorf("%w: it is empty", ErrTruncated))
	}
	if m.lines.line != firstLine {
		return m.fail("", fmt.Errorf("%w: first line is %q, want %q", errFormat, fault.Clip(m.lines.line),
			firstLine))
	}
	header := newFields(1, -1)
	for {
		if !m.lines.next() {
			return m.fail("", fmt.Errorf("%w: in the header", ErrTruncated))
		}
		line := m.lines.line
		if strings.HasPrefix(line, treePrefix) || line == endOfTrees || line == importancesOld {
			break
		}
		if line == "" {
			continue
		}
		if err := header.add(headerKeys, m.lines.splitField()); err != nil {
			return err
		}
	}
	return m.useHeader(header)
}

func (m *modelReader) useHeader(header *fields) error {
	for _, step := range []func(*fields) error{m.useVersion, m.useClasses, m.useFeatures, m.useTreeSizes} {
		if err := step(header); err != nil {
			return err
		}
	}
	label, err := one(header, "label_index", parseCount)
	if err != nil {
		return err
	}
	m.ensemble.LabelIndex = int(label)
	m.ensemble.Objective = header.byKey["objective"].value
	m.ensemble.Average = header.has("average_output")
	return nil
}

func (m *modelReader) useVersion(header *fields) error {
	fd, given := header.byKey["version"]
	switch {
	case !given || fd.value == "v2":
		m.old = true
	case fd.value != "v3" && fd.value != "v4":
		return header.fail(fd, fmt.Errorf("%w %q, want v2, v3 or v4", ErrVersion, fault.Clip(fd.value)))
	}
	return nil
}

// useClasses refuses models with more than one score for a row.
func (m *modelReader) useClasses(header *fields) error {
	classes, err := one(header, "num_class", parseCount)
	if err != nil {
		return err
	}
	trees, err := oneOr(header, "num_tree_per_iteration", classes, parseCount)
	if err != nil {
		return err
	}
	refuse := func(key string, value int64) error {
		return header.fail(header.byKey[key], fmt.Errorf("%w: %d, only 1 is supported", ErrMulticlass, value))
	}
	switch {
	case classes != 1:
		return refuse("num_class", classes)
	case trees != 1:
		return refuse("num_tree_per_iteration", trees)
	}
	return nil
}

func (m *modelReader) useFeatures(header *fields) error {
	last, err := one(header, "max_feature_idx", parseInt32)
	if err != nil {
		return err
	}
	if last < 0 {
		return header.fail(header.byKey["max_feature_idx"], fmt.Errorf("%w: %d", ErrNumber, last))
	}
	n := int(last) + 1
	names, err := words(header, "feature_names", n)
	if err != nil {
		return err
	}
	ranges, err := words(header, "feature_infos", n)
	if err != nil {
		return err
	}
	monotone := make([]int8, n)
	if header.has("monotone_constraints") {
		if monotone, err = list(header, "monotone_constraints", n, parseSign); err != nil {
			return err
		}
	}
	m.ensemble.Features = make([]tree.Feature, n)
	for i := range m.ensemble.Features {
		m.ensemble.Features[i] = tree.Feature{Name: names[i], Range: ranges[i], Monotone: monotone[i]}
	}
	return nil
}

// words returns the n words under a required key.
func words(header *fields, key string, n int) ([]string, error) {
	return list(header, key, n, func(s string) (string, error) { return strings.Clone(s), nil })
}

func (m *modelReader) useTreeSizes(header *fields) error {
	fd, given := header.byKey["tree_sizes"]
	if !given {
		return nil
	}
	m.sizeLine = fd.line
	sizes, err := list(header, "tree_sizes", len(strings.Fields(fd.value)), parseCount)
	if err != nil {
		return err
	}
	m.sizes = make([]int, len(sizes))
	for i, size := range sizes {
		m.sizes[i] = int(size)
	}
	return nil
}
