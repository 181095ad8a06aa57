package bind

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// Named binds a string that is the name of an option. Setting it to an alias stores the name that
// the alias stands for. The error for any other value lists the names and suggests the nearest.
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
func (n *named) Range() string  { return Choice(n.dst, n.names()...).Range() }

func (n *named) Check() error {
	if n.find(*n.dst) != nil {
		return nil
	}
	err := oneOf(*n.dst, n.names())
	if near := wording.Similar(*n.dst, n.options); near != "" && len(n.options) > 1 {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
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

func (n *named) names() []string {
	names := make([]string, len(n.options))
	for i, o := range n.options {
		names[i] = o.Name
	}
	return names
}
