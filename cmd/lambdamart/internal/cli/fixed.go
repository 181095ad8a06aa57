package cli

import (
	"fmt"
	"slices"
	"strings"
)

// fixed is the value of a parameter of another program that this one does not have. The zero value accepts
// everything. Otherwise only the accepted values, which need nothing that this program lacks, are valid, and
// the error for others gives the reason. Only the first accepted value is shown.
type fixed struct {
	value    string
	accepted []string // nil accepts everything
	why      string   // a sentence
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
	return fmt.Errorf("only %s is available: %s", quoteEmpty(f.accepted[0]), strings.TrimSuffix(f.why, "."))
}

func quoteEmpty(s string) string {
	if s == "" {
		return "the empty value"
	}
	return s
}
