package sourcecode

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// Options say how code is written.
type Options struct {
	Language Language
	// Name is the name of the Go package, or the prefix of names in C: lower-case letters, digits
	// and underscores, starting with a letter. In Java it is the name of the class, which starts
	// with an upper-case letter, with its package before it or without, such as com.shop.Ranker.
	Name string
}

// Capabilities returns what source code can hold, which is everything.
func Capabilities() engine.Capabilities {
	c := engine.Everything("source code")
	c.Context = true
	return c
}

// DefaultName returns the name that a model has in a language if its user gives none.
func DefaultName(l Language) string {
	if l == Java {
		return "Ranker"
	}
	return "ranker"
}

// Write writes e, which must be valid. The bytes depend on e and the options only. Errors are
// [*Error], or those of w.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	f, err := formOf(o.Language)
	if err != nil {
		return err
	}
	if err := f.checkName(o.Name); err != nil {
		return &Error{Err: err}
	}
	if err := Capabilities().Check(e); err != nil {
		return err
	}
	s, err := newTables(e)
	if err != nil {
		return err
	}
	if err := f.check(s, f); err != nil {
		return &Error{Err: err}
	}
	out := bufio.NewWriter(w)
	f.write(out, s, o.Name)
	return out.Flush() // a bufio.Writer keeps its first error
}

// form is the form of a file in one language. Parts that a model does not need are left out. In
// all texts, words in capital letters stand for the name (see words), and COUNT for a number of
// features, rows or trees.
type form struct {
	language  Language
	first     string // first line of the file
	tables    [numTables]declaration
	closing   string // line after the rows of a table
	quote     func(string) string
	node      func(node) string                // row of a node
	context   func(querycontext.Column) string // row of a column of query context
	lines     func(rows []string) []string     // the lines of a table's rows
	check     func(*tables, *form) error       // refuses tables that the language cannot hold
	words     func(name string) []string       // texts to replace, each followed by what replaces it
	checkName func(name string) error

	head                   string // text before the feature names
	categorical, linear    string // functions for categorical splits and linear leaves
	score, average, finish string // the function that scores; its result with and without division
	leafPlain, leafLinear  string // value of a leaf
	query                  *queryForm
	setPlain, setTest      string // test of a categorical split
}

// declaration is the two lines before the rows of a table.
type declaration struct{ comment, opening string }

// The tables of a file, in their order.
const (
	featureTable = iota
	rootTable
	nodeTable
	leafTable
	setTable
	wordTable
	linearStartTable
	linearFeatureTable
	coefficientTable
	missingLeafTable
	contextTable
	numTables
)

func formOf(l Language) (*form, error) {
	switch l {
	case Go:
		return &goForm, nil
	case C:
		return &cForm, nil
	case Java:
		return &javaForm, nil
	}
	return nil, &Error{Err: fmt.Errorf("%w: language %q; there are %s, %s and %s", errFormat, l, Go, C, Java)}
}

func (f *form) write(out *bufio.Writer, s *tables, name string) {
	words := f.words(name)
	text := func(s string, count int) {
		out.WriteString(strings.NewReplacer(append(words, "COUNT", strconv.Itoa(count))...).Replace(s))
	}
	head, score := f.head, f.score
	if s.contexts != nil {
		head = strings.NewReplacer(f.query.head...).Replace(head)
		score = strings.NewReplacer(f.query.score...).Replace(score)
	}
	text(f.first+head, len(s.features))
	for i := range numTables {
		rows := s.rows(i, f)
		if rows == nil {
			continue
		}
		text(f.tables[i].comment+"\n"+f.tables[i].opening+"\n", len(rows))
		for _, line := range f.lines(rows) {
			out.WriteString(line + "\n")
		}
		out.WriteString(f.closing + "\n\n")
	}
	set, leaf := f.setPlain, f.leafPlain
	if s.setStarts != nil {
		out.WriteString(f.categorical)
		set = f.setTest
	}
	if s.linearStarts != nil {
		out.WriteString(f.linear)
		leaf = f.leafLinear
	}
	end := f.finish
	if s.average {
		end = f.average
	}
	if s.contexts != nil {
		text(f.query.query, 0)
	}
	text(strings.NewReplacer("SET_TEST", set, "LEAF", leaf, "FINISH", end).Replace(score), len(s.roots))
}

// rows returns the rows of a table, or nil if the file does not have the table.
func (s *tables) rows(table int, f *form) []string {
	switch table {
	case featureTable:
		return rowsOf(s.features, f.quote)
	case rootTable:
		return rowsOf(s.roots, integer)
	case nodeTable:
		if len(s.nodes) == 0 { // all trees are single leaves; C has no empty arrays
			return []string{f.node(node{left: ^0, right: ^0})}
		}
		return rowsOf(s.nodes, f.node)
	case leafTable:
		return rowsOf(s.leaves, decimal)
	case setTable:
		return rowsOf(s.setStarts, integer)
	case wordTable:
		if s.setStarts != nil && len(s.words) == 0 { // all sets are empty
			return []string{"0"}
		}
		return rowsOf(s.words, integer)
	case linearStartTable:
		return rowsOf(s.linearStarts, integer)
	case linearFeatureTable:
		return rowsOf(s.linearFeatures, integer)
	case coefficientTable:
		return rowsOf(s.coefficients, decimal)
	case contextTable:
		return rowsOf(s.contexts, f.context)
	default:
		return rowsOf(s.missingLeaves, decimal)
	}
}

func rowsOf[T any](values []T, text func(T) string) []string {
	var rows []string
	for _, v := range values {
		rows = append(rows, text(v))
	}
	return rows
}

func integer[T int32 | uint32](v T) string { return strconv.FormatInt(int64(v), 10) }

// decimal returns the shortest decimal that reads back as v, in a form that all languages accept
// as a floating-point constant.
func decimal(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// The rows and lines of Go and C, whose tables are arrays of literals.

func nodeRow(n node) string {
	return fmt.Sprintf("{%d, %s, %d, %d, %d}", n.feature, decimal(n.threshold), n.decision, n.left, n.right)
}

func literalLines(rows []string) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = "\t" + row + ","
	}
	return lines
}

// anyTables accepts all tables: literals have no limit.
func anyTables(*tables, *form) error { return nil }

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func checkLowerName(name string) error {
	if !nameForm.MatchString(name) || token.IsKeyword(name) {
		return fmt.Errorf("%w: %q cannot name a package or begin a name; write lower-case letters, digits and "+
			"underscores, the first a letter", ErrName, name)
	}
	return nil
}

func lowerAndUpper(name string) []string {
	return []string{"UPPER", strings.ToUpper(name), "NAME", name}
}
