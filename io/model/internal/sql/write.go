package sql

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/nested"
	"github.com/lambdamart/lambdamart/tree"
)

// chunk is the number of trees in a sub-select. Together with [MaxDepth] it stays below DuckDB's limit of
// nested expressions.
const chunk = 100

// text adds the trees in nested sub-selects.
//
//go:embed sql.tmpl
var text string

// Write writes e, which must be valid. The bytes depend on e and the options only. Errors wrap
// one of the kinds of this package, or come from w.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	d, err := dialectOf(o.Dialect)
	if err != nil {
		return fmt.Errorf("sql: %w", err)
	}
	s := &statement{dialect: d, e: e, options: o, number: map[int32]int{}}
	if err := s.check(); err != nil {
		return fmt.Errorf("sql: %w", err)
	}
	return nested.Write(w, text, template.FuncMap{"leaf": s.leaf, "split": s.split}, s.parts())
}

// statement is a statement that is being written.
type statement struct {
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
		return fmt.Errorf("%w: the sets of categories take %d MB, and %d are written", fault.ErrNumber,
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
			return fmt.Errorf("%w: tree %d, node %d: the threshold %v cannot be written", fault.ErrNumber,
				number, node, threshold)
		}
	}
	if d := t.Depth(); d > MaxDepth {
		return fmt.Errorf("%w: tree %d has %d splits above a leaf, and %d are written; train with "+
			"max_depth", ErrDepth, number, d, MaxDepth)
	}
	return nil
}

// chunkOfTrees is a sub-select that adds trees to a sum.
type chunkOfTrees struct {
	Sum   string
	Roots []nested.Node
}

// parts returns the values that the template uses, by name.
func (s *statement) parts() map[string]any {
	result := "s"
	if s.e.Average {
		result = "s / " + s.dialect.number(float64(len(s.e.Trees)))
	}
	var columns, table []string
	for _, feature := range s.used {
		columns = append(columns, quote(s.e.Features[feature].Name))
	}
	for _, part := range strings.Split(s.options.Table, ".") {
		table = append(table, quote(part))
	}
	var chunks []chunkOfTrees
	for roots := range slices.Chunk(nested.Roots(s.e), chunk) {
		chunks = append(chunks, chunkOfTrees{"s", roots})
	}
	chunks[0].Sum = s.dialect.number(0)
	slices.Reverse(chunks)
	return map[string]any{
		"First": s.first, "Expand": s.expand, "Result": result, "Score": quote(s.options.Score), "Chunks": chunks,
		"Columns": columns, "Double": s.double, "Table": strings.Join(table, "."), "Fence": s.fence,
	}
}

// split is a CASE: the nodes where its condition is true and where it is not.
type split struct {
	Condition     string
	First, Second nested.Node
}

func (s *statement) split(n nested.Node) split {
	condition, swapped := s.condition(n.Tree, int32(n.Number))
	if swapped {
		return split{condition, n.Right(), n.Left()}
	}
	return split{condition, n.Left(), n.Right()}
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

// leaf returns the value of a leaf.
func (s *statement) leaf(n nested.Node) string {
	t, leaf := n.Tree, n.Number
	if t.Linear == nil {
		return s.dialect.number(n.Value)
	}
	sum := s.dialect.number(t.Linear.Const[leaf])
	if len(t.Linear.Feature[leaf]) == 0 {
		return sum
	}
	var missing []string
	for i, feature := range t.Linear.Feature[leaf] {
		f := "f" + strconv.Itoa(s.number[feature])
		missing = append(missing, f+" IS NULL")
		sum += " + " + s.dialect.number(t.Linear.Coefficient[leaf][i]) + " * " + f
	}
	return "(CASE WHEN " + strings.Join(missing, " OR ") + " THEN " + s.dialect.number(n.Value) +
		" ELSE " + sum + " END)"
}
