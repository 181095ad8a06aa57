package widened

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// Request describes the columns of query context that a user asks for. The zero value asks for none.
type Request struct {
	Kinds []string // names of kinds of context

	// Features are the raw features that get them, separated by commas: names, numbers as in the model ("12"),
	// and ranges of numbers ("1-20"). "name:12" is the feature with that name. Empty or "all" means all. The
	// kind count is about the query and needs none.
	Features string

	Skip []int // features that are not meant by all, such as those that data cannot have

	// Like, if not nil and with query context, describes data or a model whose columns are wanted. All other
	// fields are then ignored. The data may have its features in another order.
	Like *dataset.Meta
}

// Asked returns the values of the parameters query_context and query_context_features that ask for columns.
// Features that are skipped need not have context to count as all, which are "". If the kinds have different
// features, as in a model of which a part is left, no values ask for the columns, and both are empty.
func Asked(c *querycontext.Columns, skip func(feature int) bool) (kinds []string, features string) {
	if c == nil {
		return nil, ""
	}
	for _, part := range strings.Split(c.String(), ";")[1:] {
		kind, of, isOfFeatures := strings.Cut(part, "=")
		if features != "" && isOfFeatures && of != features {
			return nil, ""
		}
		kinds, features = append(kinds, kind), cmp.Or(of, features)
	}
	has := FeaturesWithContext(c)
	for f := range c.Raw {
		if _, found := slices.BinarySearch(has, f); !found && !skip(f) {
			return kinds, features
		}
	}
	return kinds, ""
}

// KindNames returns the names of all kinds of context, separated by commas.
func KindNames() string {
	var names []string
	for _, k := range querycontext.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// AllFeatures reports whether all features are meant.
func (r Request) AllFeatures() bool { return r.Features == "" || r.Features == "all" }

// IsZero reports whether nothing is asked for.
func (r Request) IsZero() bool { return len(r.Kinds) == 0 && !r.isLike() }

func (r Request) isLike() bool { return r.Like != nil && r.Like.Context != nil }

// Errors about features that a request names.
var (
	// ErrFeature: no feature has the name or the number.
	ErrFeature = errors.New("no such feature")
	// ErrTaken: the data has a column with the name of a context already.
	ErrTaken = errors.New("the data has a column of that name already, and so a second one would be ambiguous")
)

// CheckKinds returns an error unless each name is a kind of context, and none occurs twice.
func CheckKinds(names []string) error {
	_, err := parseKinds(names)
	return err
}

func parseKinds(names []string) (kinds []querycontext.Kind, err error) {
	for _, name := range names {
		k := querycontext.Kind(name)
		if err := k.Check(); err != nil {
			return nil, err
		}
		if slices.Contains(kinds, k) {
			return nil, fmt.Errorf("%s is given twice", k)
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// Columns returns the columns that are asked for, of data whose raw features have the given names:
// kind by kind, and the features of a kind ascending. It returns nil if nothing is asked for. Errors about
// features wrap [ErrFeature] or [ErrTaken].
func (r Request) Columns(raw []string) (*querycontext.Columns, error) {
	if r.IsZero() {
		return nil, nil
	}
	if r.isLike() {
		return r.likeIn(raw)
	}
	kinds, err := parseKinds(r.Kinds)
	if err != nil {
		return nil, err
	}
	features, err := r.features(raw)
	if err != nil {
		return nil, err
	}
	c := &querycontext.Columns{Raw: len(raw)}
	for _, k := range kinds {
		if k == querycontext.Count {
			c.List = append(c.List, querycontext.Column{Kind: k})
			continue
		}
		for _, f := range features {
			c.List = append(c.List, querycontext.Column{Kind: k, Feature: f})
		}
	}
	if len(c.List) == 0 {
		return nil, fmt.Errorf("query_context=%s: %w: it is of numbers, and all features are categories; "+
			"leave it out", strings.Join(r.Kinds, ","), ErrFeature)
	}
	return c, checkNames(c, raw)
}

// likeIn returns the columns of r.Like for raw features, which are found by their names.
func (r Request) likeIn(raw []string) (*querycontext.Columns, error) {
	place := make(map[string]int, len(raw))
	for f, name := range raw {
		place[name] = f
	}
	c := &querycontext.Columns{Raw: len(raw)}
	for _, column := range r.Like.Context.List {
		if column.Kind != querycontext.Count {
			name := r.Like.Features[column.Feature]
			f, found := place[name]
			if !found {
				return nil, fmt.Errorf("%q: %w, and the model has its query context", name, ErrFeature)
			}
			column.Feature = f
		}
		c.List = append(c.List, column)
	}
	return c, checkNames(c, raw)
}

// checkNames returns an error if a raw feature has the name of a column.
func checkNames(c *querycontext.Columns, raw []string) error {
	known := make(map[string]bool, len(raw))
	for _, name := range raw {
		known[name] = true
	}
	for _, name := range c.Names(raw)[c.Raw:] {
		if known[name] {
			return fmt.Errorf("query_context: %q: %w", name, ErrTaken)
		}
	}
	return nil
}

// features returns the numbers of the features that are named, ascending.
func (r Request) features(raw []string) ([]int, error) {
	if r.AllFeatures() {
		return r.allFeatures(len(raw)), nil
	}
	var list []int
	for _, item := range strings.Split(r.Features, ",") {
		first, last, err := find(strings.TrimSpace(item), raw)
		if err != nil {
			return nil, fmt.Errorf("query_context_features: %w", err)
		}
		for f := first; f <= last; f++ {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// allFeatures returns the features below n that are not in r.Skip.
func (r Request) allFeatures(n int) (list []int) {
	skipped := make(map[int]bool, len(r.Skip))
	for _, f := range r.Skip {
		skipped[f] = true
	}
	for f := range n {
		if !skipped[f] {
			list = append(list, f)
		}
	}
	return list
}

// find returns the first and the last of the features that an item of the list means.
func find(item string, raw []string) (first, last int, err error) {
	if first, last, ok := byfeature.ParseRange(item); ok {
		if last >= len(raw) {
			return 0, 0, fmt.Errorf("%q: %w; the data has features up to %d", item, ErrFeature, len(raw)-1)
		}
		return first, last, nil
	}
	f := slices.Index(raw, strings.TrimPrefix(item, "name:"))
	if f < 0 {
		return 0, 0, fmt.Errorf("%q: %w; give names, or numbers from 0 to %d", item, ErrFeature, len(raw)-1)
	}
	return f, f, nil
}
