package lightgbm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Read reads the content of a file. The ensemble is valid: see [tree.Ensemble.Validate].
// Errors are [*Error].
func Read(data []byte) (*tree.Ensemble, error) {
	m := &modelReader{text: string(data)}
	m.lines = newLines(m.text)
	for _, step := range []func() error{m.readHeader, m.readTrees, m.checkTreeSizes, m.readSections} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &m.ensemble, nil
}

// modelReader reads one file from its first line to its last.
type modelReader struct {
	text  string
	lines *lines

	old      bool       // version v2, or none: LightGBM before 2.2 wrote no end marks
	sizes    []int64    // tree_sizes, nil if absent
	sizeLine int        // line of tree_sizes
	starts   []position // of the trees
	marked   bool       // the file has "end of trees"

	ensemble tree.Ensemble
}

// position is the beginning of a tree: its offset in the file, and the number of lines before it
// that end in \r\n.
type position struct{ offset, crs int }

func (m *modelReader) position() position { return position{m.lines.start, m.lines.crs} }

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
			return m.fail("", fmt.Errorf("%w: no %q after %d trees", ErrTruncated, endOfTrees, len(m.starts)))
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
		return wrong(-1, "%d sizes, but the file has %d trees", len(m.sizes), len(m.starts))
	}
	bounds := m.starts
	if m.marked {
		bounds = append(bounds, m.position())
	}
	for i := range len(bounds) - 1 {
		long := bounds[i+1].offset - bounds[i].offset
		short := long - (bounds[i+1].crs - bounds[i].crs)
		if m.sizes[i] != int64(long) && m.sizes[i] != int64(short) {
			return wrong(i, "%d bytes, but the tree has %d", m.sizes[i], long)
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
				err = m.takeContext(first)
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
	return m.takeCategories()
}

// section returns the text from the line after the current one up to the line that equals end.
func (m *modelReader) section(end string) (string, error) {
	first, from := m.lines.number, m.lines.offset
	for m.lines.next() {
		if m.lines.line == end {
			return strings.ReplaceAll(m.text[from:m.lines.start], "\r\n", "\n"), nil
		}
	}
	if m.old {
		return strings.ReplaceAll(m.text[from:], "\r\n", "\n"), nil
	}
	return "", &Error{Line: first, Tree: -1, Err: fmt.Errorf("%w: no %q", ErrTruncated, end)}
}
