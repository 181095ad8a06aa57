package sql

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/assemble"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Is reports whether data, the content of a file or its first 200 bytes, looks like a statement that
// [Write] has written.
func Is(data []byte) bool { return sniff(string(data[:min(len(data), 200)])) != nil }

func sniff(text string) *dialect {
	for _, d := range dialects {
		if strings.HasPrefix(text, d.first) {
			return d
		}
	}
	return nil
}

// Read reads a model from a statement that [Write] has written. The ensemble is valid, has the features in
// use, and scores as the one that was written. Errors are [*Error], or those of r.
func Read(r io.Reader) (*tree.Ensemble, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	d := sniff(string(text))
	if d == nil {
		return nil, &Error{1, fmt.Errorf("%w: the first line is not that of a statement that lambdamart exported", errFormat)}
	}
	p := &reader{dialect: d, e: &tree.Ensemble{}, options: Options{Dialect: d.name}, budget: maxWords}
	if err := p.read(string(text)); err != nil {
		return nil, err
	}
	if err := p.e.Validate(); err != nil {
		return nil, &Error{Err: err}
	}
	return p.e, p.checkUnchanged(text)
}

// reader reads the lines of a statement. It is content with little, since checkUnchanged compares all.
type reader struct {
	*dialect
	e       *tree.Ensemble
	options Options
	chunks  [][]tree.Tree // in the order of the text: the last trees first
	budget  int           // words that the sets of categories may still take
}

func (p *reader) read(text string) error {
	var trees []line
	number := 0
	for content := range strings.Lines(text) {
		number++
		if content = strings.TrimSuffix(content, "\n"); strings.HasPrefix(content, "+ ") || strings.HasPrefix(content, "AS s") {
			trees = append(trees, line{number, content}) // they refer to the features, which come later
		} else if err := p.readLine(content); err != nil {
			return &Error{number, err}
		}
	}
	p.chunks = [][]tree.Tree{nil}
	for _, l := range trees {
		if err := p.readTree(l.text); err != nil {
			return &Error{l.number, err}
		}
	}
	slices.Reverse(p.chunks)
	p.e.Trees = slices.Concat(p.chunks...)
	return nil
}

type line struct {
	number int
	text   string
}

// readLine reads the name of the score, a feature or the name of the table.
func (p *reader) readLine(text string) (err error) {
	if rest, found := strings.CutPrefix(text, "SELECT "+p.expand+", s"); found {
		divisor, name, _ := strings.Cut(rest, " AS ")
		p.e.Average = divisor != ""
		p.options.Score, err = unquote(strings.TrimSuffix(name, " FROM ("))
		return err
	}
	if rest, found := strings.CutPrefix(text, ", NULLIF(CAST(lambdamart_row."); found {
		name, err := unquote(rest[:max(0, strings.LastIndex(rest, " AS "+p.double+"), "))])
		p.e.Features = append(p.e.Features, tree.Feature{Name: name})
		return err
	}
	if rest, found := strings.CutPrefix(text, "FROM "); found {
		var parts []string
		for part := range strings.SplitSeq(rest[:max(0, strings.LastIndex(rest, " AS lambdamart_row"))], ".") {
			name, err := unquote(part)
			if err != nil {
				return err
			}
			parts = append(parts, name)
		}
		p.options.Table = strings.Join(parts, ".")
	}
	return nil
}

// readTree reads the line of a tree, or the end of a sub-select.
func (p *reader) readTree(text string) error {
	expression, isTree := strings.CutPrefix(text, "+ ")
	if !isTree {
		p.chunks = append(p.chunks, nil)
		return nil
	}
	t := &treeReader{dialect: p.dialect, features: len(p.e.Features), words: strings.Fields(expression), budget: &p.budget}
	if _, err := t.expression(0); err != nil {
		return err
	}
	last := len(p.chunks) - 1
	p.chunks[last] = append(p.chunks[last], t.finish())
	return nil
}

// treeReader reads the expression of a tree, word by word.
type treeReader struct {
	*dialect
	assemble.Tree
	features int
	words    []string
	budget   *int // words that the sets of categories may still take

	linear   tree.LinearLeaves
	isLinear bool
}

func (t *treeReader) next() string {
	if len(t.words) == 0 {
		return ""
	}
	word := t.words[0]
	t.words = t.words[1:]
	return word
}

func (t *treeReader) expect(words ...string) error {
	for _, want := range words {
		if got := t.next(); got != want {
			return fmt.Errorf("%w: %.60q, want %s", errFormat, got, want)
		}
	}
	return nil
}

// until returns the words before the given one, which it passes.
func (t *treeReader) until(end string) []string {
	n := slices.Index(t.words, end)
	if n < 0 {
		n = len(t.words)
	}
	words := t.words[:n]
	t.words = t.words[min(n+1, len(t.words)):]
	return words
}

// expression reads a node or leaf and returns the number by which its parent refers to it.
func (t *treeReader) expression(above int) (int32, error) {
	switch word := t.next(); {
	case above > MaxDepth:
		return 0, fmt.Errorf("%w: more than %d splits above a leaf", ErrDepth, MaxDepth)
	case word == "CASE":
		return t.node(above)
	case word == "(CASE":
		return t.linearLeaf()
	default:
		v, err := t.parseNumber(word)
		return t.addLeaf(v, v, nil, nil), err
	}
}

func (t *treeReader) addLeaf(value, constant float64, features []int32, coefficients []float64) int32 {
	t.linear.Const = append(t.linear.Const, constant)
	t.linear.Feature = append(t.linear.Feature, features)
	t.linear.Coefficient = append(t.linear.Coefficient, coefficients)
	return t.AddLeaf(assemble.Leaf{Value: value})
}

func (t *treeReader) node(above int) (int32, error) {
	if err := t.expect("WHEN"); err != nil {
		return 0, err
	}
	split, swapped, err := t.condition(t.until("THEN"))
	if err != nil {
		return 0, err
	}
	node := t.AddSplit(split)
	first, err := t.expression(above + 1)
	if err != nil {
		return 0, err
	}
	if err := t.expect("ELSE"); err != nil {
		return 0, err
	}
	second, err := t.expression(above + 1)
	if swapped {
		first, second = second, first
	}
	if t.Join(node, first, second); err != nil {
		return 0, err
	}
	return node, t.expect("END")
}

// condition reads the words of a condition. It is the inverse of that of a statement.
func (t *treeReader) condition(words []string) (s assemble.Split, swapped bool, err error) {
	words = append(slices.Clone(words), "", "", "", "") // so that there are enough
	switch {
	case words[1] == "IN":
		s.Decision = tree.Categorical
		if s.Threshold, err = t.set(words[2:]); err != nil {
			return s, false, err
		}
		s.Feature, err = t.feature(strings.TrimSuffix(strings.TrimPrefix(words[0], "TRUNC("), ")"))
		return s, false, err
	case words[0] == "NOT":
		s.Decision, s.Threshold = tree.MissingZero, math.Inf(1)
		s.Feature, err = t.feature(words[1])
		return s, false, err
	}
	if s.Feature, err = t.feature(words[0]); err != nil {
		return s, false, err
	}
	s.Decision = tree.MissingNaN
	if words[1] == "IS" {
		s.Threshold = math.Inf(1)
		if words[2] == "NULL" {
			s.Decision |= tree.DefaultLeft
		}
		return s, false, nil
	}
	s.Threshold, err = t.parseNumber(words[2])
	switch {
	case words[1] == ">":
		return assemble.Split{Feature: s.Feature, Threshold: s.Threshold, Decision: tree.MissingNaN | tree.DefaultLeft}, true, err
	case words[3] == "OR":
		s.Decision = tree.MissingZero | tree.DefaultLeft
	case words[3] == "AND":
		s.Decision = tree.MissingZero
	}
	return s, false, err
}

// feature returns the number of the feature in a word like f12.
func (t *treeReader) feature(word string) (int32, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(word, "f"))
	if err != nil || n < 0 || n >= t.features {
		return 0, fmt.Errorf("%w: %.60q is not one of %d features", errFormat, word, t.features)
	}
	return int32(n), nil
}

// set adds the set of a list like "(1," "5)" and returns its number.
func (t *treeReader) set(list []string) (float64, error) {
	var categories []int
	for _, word := range list {
		n, err := strconv.Atoi(strings.Trim(word, "(,)"))
		if err != nil || n < 0 {
			continue // NULL, or a change that checkUnchanged finds
		}
		categories = append(categories, n)
	}
	number, ok := t.AddSet(categories, t.budget)
	if !ok {
		return 0, fmt.Errorf("%w: the sets of categories take more than %d MB", ErrNumber, 4*maxWords>>20)
	}
	return number, nil
}

// linearLeaf reads "WHEN f1 IS NULL OR f2 IS NULL THEN value ELSE constant + coefficient * f1 ... END)".
func (t *treeReader) linearLeaf() (int32, error) {
	t.until("THEN")
	value, err := t.parseNumber(t.next())
	if err != nil {
		return 0, err
	}
	if err := t.expect("ELSE"); err != nil {
		return 0, err
	}
	constant, err := t.parseNumber(t.next())
	if err != nil {
		return 0, err
	}
	t.isLinear = true
	var features []int32
	var coefficients []float64
	for terms := t.until("END)"); len(terms) >= 4; terms = terms[4:] {
		c, err := t.parseNumber(terms[1])
		if err != nil {
			return 0, err
		}
		f, err := t.feature(terms[3])
		if err != nil {
			return 0, err
		}
		features, coefficients = append(features, f), append(coefficients, c)
	}
	return t.addLeaf(value, constant, features, coefficients), nil
}

func (t *treeReader) finish() tree.Tree {
	done := t.Finish()
	if t.isLinear {
		done.Linear = &t.linear
	}
	return done
}

// checkUnchanged writes the model again and compares the text with the file.
func (p *reader) checkUnchanged(text []byte) error {
	var again bytes.Buffer
	if err := Write(&again, p.e, p.options); err != nil {
		return err
	}
	if line, err := fault.Changed(text, again.Bytes(), ErrChanged); err != nil {
		return &Error{line, err}
	}
	return nil
}
