package lightgbm

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
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
		return m.fail("", fmt.Errorf("%w: first line is %q, want %q", errFormat, document.Clip(m.lines.line),
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
		if header.add(headerKeys, m.lines.splitField()); header.err != nil {
			return header.err
		}
	}
	m.useHeader(header)
	return header.err
}

func (m *modelReader) useHeader(header *fields) {
	m.useVersion(header)
	useClasses(header)
	m.useFeatures(header)
	m.useTreeSizes(header)
	m.ensemble.LabelIndex = int(one(header, "label_index", parseCount))
	m.ensemble.Objective = header.byKey["objective"].value
	m.ensemble.Average = header.has("average_output")
}

func (m *modelReader) useVersion(header *fields) {
	fd, given := header.byKey["version"]
	switch {
	case !given || fd.value == "v2":
		m.old = true
	case fd.value != "v3" && fd.value != "v4":
		header.fail(fd, fmt.Errorf("%w %q, want v2, v3 or v4", ErrVersion, document.Clip(fd.value)))
	}
}

// useClasses refuses models with more than one score for a row.
func useClasses(header *fields) {
	classes := one(header, "num_class", parseCount)
	trees := oneOr(header, "num_tree_per_iteration", classes, parseCount)
	const refusal = "%w: %d, only 1 is supported"
	if classes != 1 {
		header.refuse("num_class", fmt.Errorf(refusal, ErrMulticlass, classes))
	} else if trees != 1 {
		header.refuse("num_tree_per_iteration", fmt.Errorf(refusal, ErrMulticlass, trees))
	}
}

func (m *modelReader) useFeatures(header *fields) {
	last := one(header, "max_feature_idx", parseInt32)
	if last < 0 {
		header.refuse("max_feature_idx", fmt.Errorf("%w: %d", ErrNumber, last))
	}
	n := int(last) + 1
	names, ranges := words(header, "feature_names", n), words(header, "feature_infos", n)
	var monotone []int8
	if header.has("monotone_constraints") {
		monotone = list(header, "monotone_constraints", n, parseSign)
	}
	if header.err != nil {
		return
	}
	m.ensemble.Features = make([]tree.Feature, n)
	for i := range m.ensemble.Features {
		m.ensemble.Features[i] = tree.Feature{Name: names[i], Range: ranges[i]}
		if monotone != nil {
			m.ensemble.Features[i].Monotone = monotone[i]
		}
	}
}

// words returns the n words under a required key.
func words(header *fields, key string, n int) []string {
	return list(header, key, n, func(s string) (string, error) { return strings.Clone(s), nil })
}

func (m *modelReader) useTreeSizes(header *fields) {
	fd, given := header.byKey["tree_sizes"]
	if !given {
		return
	}
	m.sizeLine = fd.line
	m.sizes = list(header, "tree_sizes", len(strings.Fields(fd.value)), parseCount)
}
