// Package bind makes the values of parameters: it binds a variable to its text form and to the limits that
// help shows.
package bind

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// Bound is one limit of a number.
type Bound struct {
	relation string // ">", ">=" or "<="
	limit    float64
}

// Positive excludes 0 and what is below it.
func Positive() Bound { return Bound{">", 0} }

// AtLeast excludes what is below limit.
func AtLeast(limit float64) Bound { return Bound{">=", limit} }

// AtMost excludes what is above limit.
func AtMost(limit float64) Bound { return Bound{"<=", limit} }

func (b Bound) holds(x float64) bool {
	switch b.relation {
	case ">":
		return x > b.limit
	case ">=":
		return x >= b.limit
	default:
		return x <= b.limit
	}
}

type bounds []Bound

func (b bounds) String() string {
	words := make([]string, len(b))
	for i := range b {
		words[i] = b[i].relation + " " + formatNumber(b[i].limit)
	}
	return strings.Join(words, ", ")
}

func (b bounds) check(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return errors.New("must be a finite number")
	}
	for i := range b {
		if !b[i].holds(x) {
			return fmt.Errorf("must be %v", b)
		}
	}
	return nil
}

// Int binds an integer.
func Int(dst *int, limits ...Bound) param.Value {
	return &number[int]{dst, limits, "integer", parseInt, strconv.Itoa}
}

// Uint64 binds an integer from 0 to 2^64 - 1.
func Uint64(dst *uint64) param.Value {
	return &number[uint64]{dst, bounds{AtLeast(0)}, "integer", parseUint64,
		func(v uint64) string { return strconv.FormatUint(v, 10) }}
}

// Float binds a finite number.
func Float(dst *float64, limits ...Bound) param.Value {
	return &number[float64]{dst, limits, "number", parseNumber, formatNumber}
}

type number[T int | uint64 | float64] struct {
	dst    *T
	bounds bounds
	kind   string
	parse  func(string) (T, error)
	format func(T) string
}

func (n *number[T]) Set(text string) (err error) {
	v, err := n.parse(text)
	if err == nil {
		*n.dst = v
	}
	return err
}

func (n *number[T]) String() string { return n.format(*n.dst) }
func (n *number[T]) Type() string   { return n.kind }
func (n *number[T]) Range() string  { return n.bounds.String() }

func (n *number[T]) Check() error { return n.bounds.check(float64(*n.dst)) }

func parseInt(text string) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.New("must be an integer")
	}
	return v, nil
}

func parseUint64(text string) (uint64, error) {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("must be an integer from 0 to 18446744073709551615")
	}
	return v, nil
}

func parseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("must be a finite number")
	}
	return v, nil
}

// formatNumber returns the shortest text that reads back to v.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Bool binds a switch to one variable or several: it sets them all, and is on if all are. As in LightGBM, "+"
// and "-" are true and false. The value has the method IsBoolFlag of package flag, so the name of such a
// parameter alone means true on a command line.
func Bool(dst ...*bool) param.Value { return toggle(dst) }

type toggle []*bool

func (t toggle) Set(text string) error {
	on := false
	switch text {
	case "true", "+", "1":
		on = true
	case "false", "-", "0":
	default:
		return errors.New("must be true or false")
	}
	for _, dst := range t {
		*dst = on
	}
	return nil
}

func (t toggle) String() string {
	off := slices.ContainsFunc(t, func(dst *bool) bool { return !*dst })
	return strconv.FormatBool(!off)
}

func (t toggle) Check() error     { return nil }
func (t toggle) Type() string     { return "true or false" }
func (t toggle) Range() string    { return "" }
func (t toggle) IsBoolFlag() bool { return true }

// Text binds a string of any content.
func Text(dst *string) param.Value { return Named(dst) }

// Choice binds a string that must be one of choices.
func Choice(dst *string, choices ...string) param.Value {
	var options []wording.Term
	for _, name := range choices {
		options = append(options, wording.Term{Name: name})
	}
	return Named(dst, options...)
}

// Named binds a string that is the name of an option, or any string if there are no options. Setting it to an
// alias stores the name that the alias stands for. The error for any other value lists the names and suggests
// the nearest.
func Named(dst *string, options ...wording.Term) param.Value { return &named{dst, options} }

type named struct {
	dst     *string
	options []wording.Term
}

func (n *named) Set(text string) error {
	if o := n.find(text); o != nil {
		text = o.Name
	}
	*n.dst = text
	return nil
}

func (n *named) String() string { return *n.dst }
func (n *named) Type() string   { return "text" }

func (n *named) Range() string {
	names := make([]string, len(n.options))
	for i, o := range n.options {
		names[i] = o.Name
	}
	return strings.Join(names, ", ")
}

func (n *named) Check() error {
	switch {
	case len(n.options) == 0 || n.find(*n.dst) != nil:
		return nil
	case len(n.options) == 1:
		return fmt.Errorf("only %s is available", n.Range())
	}
	if near := wording.Similar(*n.dst, n.options); near != "" {
		return fmt.Errorf("must be one of %s; did you mean %s?", n.Range(), near)
	}
	return fmt.Errorf("must be one of %s", n.Range())
}

// find returns the option of the given name or alias, nil if there is none.
func (n *named) find(name string) *wording.Term {
	for i := range n.options {
		if o := &n.options[i]; o.Name == name || slices.Contains(o.Aliases, name) {
			return o
		}
	}
	return nil
}

// Checked adds a check to a value. The description replaces its range in help.
func Checked(v param.Value, description string, check func() error) param.Value {
	return &checked{v, description, check}
}

type checked struct {
	param.Value
	description string
	check       func() error
}

func (c *checked) Range() string { return c.description }

func (c *checked) Check() error {
	if err := c.Value.Check(); err != nil {
		return err
	}
	return c.check()
}
