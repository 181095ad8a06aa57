package sql

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// chunk is the number of trees in a sub-select. Together with [MaxDepth] it stays below DuckDB's limit of
// nested expressions.
const chunk = 100

const secondLine = "-- All columns of the rows of a table, and their scores by a LambdaMART model. NULL " +
	"and NaN are missing values.\n"

// Write writes e, which must be valid. The bytes depend on e and the options only. Errors wrap
// one of the kinds of this package, or are those of w.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	d, err := dialectOf(o.Dialect)
	if err != nil {
		return fmt.Errorf("sql: %w", err)
	}
	if err := engine.Everything("SQL").Check(e); err != nil {
		return err
	}
	s := &statement{dialect: d, e: e, options: o, number: map[int32]int{}}
	if err := s.check(); err != nil {
		return fmt.Errorf("sql: %w", err)
	}
	s.write()
	out := bufio.NewWriter(w)
	out.WriteString(s.String())
	return out.Flush() // a bufio.Writer keeps its first error
}

// statement is a statement that is being written.
type statement struct {
	strings.Builder
	*dialect
	e       *tree.Ensemble
	options Options
	used    []int         // features in use, ascending
	number  map[int32]int // number n of the column fn of a feature in use
}

// check refuses what the database cannot hold, and finds the features in use.
func (s *statement) check() error {
	s.used = s.e.UsedFeatures()
	switch {
	case len(s.used) == 0:
		return fmt.Errorf("%w: all scores are equal", ErrEmpty)
	case s.columns > 0 && len(s.used) > s.columns:
		return fmt.Errorf("%w: the model uses %d, and a table of %s has at most %d columns", ErrColumns,
			len(s.used), s.name, s.columns)
	}
	if err := s.checkNames(); err != nil {
		return err
	}
	words := 0
	for i := range s.e.Trees {
		if err := checkTree(&s.e.Trees[i], i); err != nil {
			return err
		}
		words += len(s.e.Trees[i].Categories)
	}
	if words > maxWords {
		return fmt.Errorf("%w: the sets of categories take %d MB, and %d are written", ErrNumber,
			words>>18, maxWords>>18)
	}
	return nil
}

func (s *statement) checkNames() error {
	seen := map[string]string{}
	for n, feature := range s.used {
		name := s.e.Features[feature].Name
		if err := s.checkName(fmt.Sprintf("the name of feature %d", feature), name, "features=FILE"); err != nil {
			return err
		}
		key := name
		if s.fold {
			key = strings.ToLower(name)
		}
		if other, twice := seen[key]; twice {
			return fmt.Errorf("%w: %q and %q are the same column for %s; features=FILE gives them "+
				"other names", ErrName, other, name, s.name.title())
		}
		seen[key], s.number[int32(feature)] = name, n
	}
	for _, part := range strings.Split(s.options.Table, ".") {
		if err := s.checkName("the name of the table", part, "table_name=NAME"); err != nil {
			return err
		}
	}
	return s.checkName("the name of the score", s.options.Score, "model_name=NAME")
}

func (n Dialect) title() string {
	if n == DuckDB {
		return "DuckDB"
	}
	return "PostgreSQL"
}

// checkTree refuses thresholds that no statement has, and trees that are too deep.
func checkTree(t *tree.Tree, number int) error {
	for node, threshold := range t.Threshold {
		if math.IsInf(threshold, -1) {
			return fmt.Errorf("%w: tree %d, node %d: the threshold %v cannot be written", ErrNumber,
				number, node, threshold)
		}
	}
	if d := t.Depth(); d > MaxDepth {
		return fmt.Errorf("%w: tree %d has %d splits above a leaf, and %d are written; train with "+
			"max_depth", ErrDepth, number, d, MaxDepth)
	}
	return nil
}

func (s *statement) write() {
	s.WriteString(s.first + secondLine)
	result := "s"
	if s.e.Average {
		result = "s / " + s.dialect.number(float64(len(s.e.Trees)))
	}
	fmt.Fprintf(s, "SELECT %s, %s AS %s FROM (\n", s.expand, result, quote(s.options.Score))
	end := ";\n"
	for first := (len(s.e.Trees) - 1) / chunk * chunk; first >= 0; first -= chunk {
		s.trees(first)
		end = s.fence + ") AS q" + end
	}
	s.rows()
	s.WriteString(end)
}

// trees writes the beginning of the sub-select that adds a hundred trees.
func (s *statement) trees(first int) {
	s.WriteString("SELECT lambdamart_row")
	for n := range s.used {
		s.WriteString(", f" + strconv.Itoa(n))
	}
	if first == 0 {
		s.WriteString(", " + s.dialect.number(0) + "\n")
	} else {
		s.WriteString(", s\n")
	}
	for i := first; i < min(first+chunk, len(s.e.Trees)); i++ {
		s.WriteString("+ ")
		t := &s.e.Trees[i]
		if t.NumNodes() == 0 {
			s.leaf(t, 0)
		} else {
			s.node(t, 0)
		}
		s.WriteString("\n")
	}
	s.WriteString("AS s FROM (\n")
}

// rows writes the innermost sub-select, which makes features of columns.
func (s *statement) rows() {
	s.WriteString("SELECT lambdamart_row\n")
	for n, feature := range s.used {
		fmt.Fprintf(s, ", NULLIF(CAST(lambdamart_row.%s AS %s), 'NaN'::%s) AS f%d\n",
			quote(s.e.Features[feature].Name), s.double, s.double, n)
	}
	var parts []string
	for _, part := range strings.Split(s.options.Table, ".") {
		parts = append(parts, quote(part))
	}
	fmt.Fprintf(s, "FROM %s AS lambdamart_row%s) AS q", strings.Join(parts, "."), s.fence)
}

// node writes a node, or leaf ^node.
func (s *statement) node(t *tree.Tree, node int32) {
	if node < 0 {
		s.leaf(t, ^node)
		return
	}
	condition, swapped := s.condition(t, node)
	first, second := t.Left[node], t.Right[node]
	if swapped {
		first, second = second, first
	}
	s.WriteString("CASE WHEN " + condition + " THEN ")
	s.node(t, first)
	s.WriteString(" ELSE ")
	s.node(t, second)
	s.WriteString(" END")
}

// condition returns the condition of a node. It is true for values that go left; if swapped, for those
// that go right. It is empty if every value goes left.
func (s *statement) condition(t *tree.Tree, node int32) (text string, swapped bool) {
	f := "f" + strconv.Itoa(s.number[t.Feature[node]])
	decision, threshold := t.Decision[node], t.Threshold[node]
	left := decision&tree.DefaultLeft != 0
	if decision&tree.Categorical != 0 {
		return "TRUNC(" + f + ") IN (" + categories(t, int(node)) + ")", false
	}
	none, all := decision.Missing() == tree.MissingNone, math.IsInf(threshold, 1)
	switch {
	case decision.Missing() == tree.MissingZero && all && !left:
		return "NOT " + f + s.zero(), false
	case decision.Missing() == tree.MissingZero && !all && left:
		return f + " <= " + s.dialect.number(threshold) + " OR " + f + " IS NULL OR " + f + s.zero(), false
	case decision.Missing() == tree.MissingZero && !all:
		return f + " <= " + s.dialect.number(threshold) + " AND NOT " + f + s.zero(), false
	case all && (left || none || decision.Missing() == tree.MissingZero):
		return f + " IS NULL OR " + f + " IS NOT NULL", false
	case all:
		return f + " IS NOT NULL", false
	case none && 0 <= threshold || !none && left:
		return f + " > " + s.dialect.number(threshold), true
	}
	return f + " <= " + s.dialect.number(threshold), false
}

// zero returns the condition that a value counts as zero where zero is missing.
func (s *statement) zero() string {
	return " BETWEEN " + s.dialect.number(-tree.ZeroThreshold) + " AND " + s.dialect.number(tree.ZeroThreshold)
}

// categories lists those that a node sends left. NULL stands for the empty set.
func categories(t *tree.Tree, node int) string {
	var list []string
	for _, c := range t.CategoriesLeft(node) {
		list = append(list, strconv.Itoa(c))
	}
	if list == nil {
		return "NULL"
	}
	return strings.Join(list, ", ")
}

// leaf writes the value of a leaf.
func (s *statement) leaf(t *tree.Tree, leaf int32) {
	if t.Linear == nil {
		s.WriteString(s.dialect.number(t.LeafValue[leaf]))
		return
	}
	features := t.Linear.Feature[leaf]
	if len(features) == 0 {
		s.WriteString(s.dialect.number(t.Linear.Const[leaf]))
		return
	}
	missing, sum := "", s.dialect.number(t.Linear.Const[leaf])
	for i, feature := range features {
		f := "f" + strconv.Itoa(s.number[feature])
		if i > 0 {
			missing += " OR "
		}
		missing += f + " IS NULL"
		sum += " + " + s.dialect.number(t.Linear.Coefficient[leaf][i]) + " * " + f
	}
	s.WriteString("(CASE WHEN " + missing + " THEN " + s.dialect.number(t.LeafValue[leaf]) + " ELSE " + sum +
		" END)")
}
