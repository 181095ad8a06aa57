package lightgbm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Read reads the content of a file. The ensemble is valid: see [tree.Ensemble.Validate].
// Errors are [*Error].
func Read(data []byte) (*tree.Ensemble, error) {
	m := &modelReader{text: strings.ReplaceAll(string(data), "\r\n", "\n")}
	m.windows = len(m.text) < len(data)
	m.lines = lines{rest: m.text}
	for _, step := range []func() error{m.readHeader, m.readTrees, m.checkTreeSizes, m.readSections} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &m.ensemble, nil
}

// modelReader reads one file from its first line to its last.
type modelReader struct {
	text    string // with \n at the ends of lines
	windows bool   // the file has \r\n there
	lines   lines

	old      bool       // version v2, or none: LightGBM before 2.2 wrote no end marks
	sizes    []int64    // tree_sizes, nil if absent
	sizeLine int        // line of tree_sizes
	starts   []position // of the trees
	marked   bool       // the file has "end of trees"

	categories *string // the line about categories; nil if there is none

	ensemble tree.Ensemble
}

// position is the beginning of a tree: its offset in the text, and its line.
type position struct{ offset, line int }

func (m *modelReader) position() position { return position{m.lines.start, m.lines.number} }

// fail returns err with the place of the current line, outside of trees.
func (m *modelReader) fail(key string, err error) error {
	return &Error{Line: m.lines.number, Tree: -1, Key: key, Err: err}
}

const (
	firstLine       = "tree"
	treePrefix      = "Tree="
	endOfTrees      = "end of trees"
	importancesOld  = "feature importances:" // until LightGBM 2.3
	importances     = "feature_importances:"
	parameters      = "parameters:"
	endOfParameters = "end of parameters"
	pandas          = "pandas_categorical:"
	parserConfig    = "parser:"
	endOfParser     = "end of parser"
)

// readTrees reads all trees and the line that ends them.
func (m *modelReader) readTrees() error {
	for {
		line := m.lines.line
		switch number, isTree := strings.CutPrefix(line, treePrefix); {
		case isTree && number == strconv.Itoa(len(m.starts)):
			m.starts = append(m.starts, m.position())
			if err := m.readTree(); err != nil {
				return err
			}
			continue // readTree has moved to the line after the tree
		case isTree:
			return m.fail("", fmt.Errorf("%w: tree %s, want %d", errFormat, document.Clip(number), len(m.starts)))
		case line == endOfTrees:
			m.marked = true
			return nil
		case m.old && (line == importancesOld || line == importances):
			return nil
		case line != "":
			return m.fail("", fmt.Errorf("%w: %q where a tree or %q should be", errFormat, document.Clip(line),
				endOfTrees))
		}
		if !m.lines.next() {
			return m.fail("", fmt.Errorf("%w: no %q after %s", document.ErrTruncated, endOfTrees,
				wording.Count(len(m.starts), "tree")))
		}
	}
}

// checkTreeSizes compares tree_sizes with the trees. The end of the last tree is known only if
// "end of trees" follows it.
func (m *modelReader) checkTreeSizes() error {
	if m.sizes == nil {
		return nil
	}
	wrong := func(number int, format string, args ...any) error {
		err := fmt.Errorf("%w: %s", ErrTreeSizes, fmt.Sprintf(format, args...))
		return &Error{Line: m.sizeLine, Tree: number, Key: "tree_sizes", Err: err}
	}
	if len(m.sizes) != len(m.starts) {
		return wrong(-1, "%d sizes, but the file has %s", len(m.sizes), wording.Count(len(m.starts), "tree"))
	}
	bounds := m.starts
	if m.marked {
		bounds = append(bounds, m.position())
	}
	for i := range len(bounds) - 1 {
		size := int64(bounds[i+1].offset - bounds[i].offset)
		lines := int64(bounds[i+1].line - bounds[i].line)
		if m.sizes[i] != size && !(m.windows && m.sizes[i] == size+lines) {
			return wrong(i, "%d bytes, but the tree has %d", m.sizes[i], size)
		}
	}
	return nil
}

// readSections reads what follows the trees.
func (m *modelReader) readSections() error {
	inImportances := !m.marked
	for m.lines.next() {
		line := m.lines.line
		categories, isPandas := strings.CutPrefix(line, pandas)
		var err error
		switch {
		case line == importances || line == importancesOld:
			inImportances = true
		case line == parameters:
			inImportances = false
			first := m.lines.number + 1
			if m.ensemble.Parameters, err = m.section(endOfParameters); err == nil {
				err = m.takeOwn(first)
			}
		case line == parserConfig:
			inImportances = false
			_, err = m.section(endOfParser)
		case isPandas:
			m.ensemble.PandasCategorical = categories
		case line != "" && !(inImportances && strings.Contains(line, "=")):
			err = m.fail("", fmt.Errorf("%w: %q after the trees", errFormat, document.Clip(line)))
		}
		if err != nil {
			return err
		}
	}
	if err := setDictionaries(&m.ensemble, m.categories); err != nil {
		return &Error{Tree: -1, Key: "category_features", Err: err}
	}
	return nil
}

// section returns the text from the line after the current one up to the line that equals end.
func (m *modelReader) section(end string) (string, error) {
	first, from := m.lines.number, m.lines.offset
	for m.lines.next() {
		if m.lines.line == end {
			return m.text[from:m.lines.start], nil
		}
	}
	if m.old {
		return m.text[from:], nil
	}
	return "", &Error{Line: first, Tree: -1, Err: fmt.Errorf("%w: no %q", document.ErrTruncated, end)}
}

var headerKeys = []string{"version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx",
	"objective", "average_output", "feature_names", "monotone_constraints", "feature_infos", "tree_sizes"}

// readHeader reads up to the first tree, or to the end of the trees if there is none, and leaves
// the reader at that line.
func (m *modelReader) readHeader() error {
	if !m.lines.next() {
		return m.fail("", fmt.Errorf("%w: it is empty", document.ErrTruncated))
	}
	if m.lines.line != firstLine {
		return m.fail("", fmt.Errorf("%w: first line is %q, want %q", errFormat, document.Clip(m.lines.line),
			firstLine))
	}
	header := newFields(1, -1)
	for {
		if !m.lines.next() {
			return m.fail("", fmt.Errorf("%w: in the header", document.ErrTruncated))
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
	if classes != 1 {
		header.refuse("num_class", ErrMulticlass, "%d, only 1 is supported", classes)
	} else if trees != 1 {
		header.refuse("num_tree_per_iteration", ErrMulticlass, "%d, only 1 is supported", trees)
	}
}

func (m *modelReader) useFeatures(header *fields) {
	last := one(header, "max_feature_idx", parseInt32)
	if last < 0 {
		header.refuse("max_feature_idx", document.ErrNumber, "%d", last)
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
