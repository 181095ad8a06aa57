package param

import (
	"fmt"
	"slices"
	"strings"
)

// Fixed is the value of a parameter of another program that we do not have, but whose named values ask for
// nothing that we do differently. Everything else is refused, with the reason, a sentence. Only the first
// value is shown.
func Fixed(why string, values ...string) Value {
	return &fixed{value: values[0], accepted: values, why: why}
}

// Ignored is the value of a parameter that means nothing here, whatever its
// value.
func Ignored() Value { return &fixed{} }

type fixed struct {
	value    string
	accepted []string // nil accepts everything
	why      string
}

func (f *fixed) Set(text string) error { f.value = text; return nil }
func (f *fixed) String() string        { return f.value }
func (f *fixed) Type() string          { return "anything" }

func (f *fixed) Range() string {
	if f.accepted == nil {
		return ""
	}
	return "only " + quoteEmpty(f.accepted[0])
}

func (f *fixed) Check() error {
	if f.accepted == nil || slices.Contains(f.accepted, f.value) {
		return nil
	}
	err := oneOf(f.value, []string{quoteEmpty(f.accepted[0])})
	if f.why == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.TrimSuffix(f.why, "."))
}

func quoteEmpty(s string) string {
	if s == "" {
		return `the empty value`
	}
	return s
}
