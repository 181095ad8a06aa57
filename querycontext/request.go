package querycontext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Request is what a user asks for: kinds of context, and the features that get them. The zero value
// asks for none.
type Request struct {
	Kinds []Kind

	// Features are the raw features, separated by commas: names, numbers as in the model ("12"), and ranges of
	// numbers ("1-20"). "name:12" is the feature with that name. Empty or "all" means all. The kind count is
	// about the query and needs none.
	Features string

	Skip []int // features that are not meant by all, such as those that data cannot have

	like  *Columns // if not nil, columns as a model has them, and nothing else counts
	names []string // of the features of like
}

// Like returns the request for the columns of a model, whose features have the given names. Data may
// have its features in another order.
func Like(c *Columns, names []string) Request { return Request{like: c, names: names} }

// AllFeatures reports whether all features are meant.
func (r Request) AllFeatures() bool { return r.Features == "" || r.Features == all }

const all = "all"

// Auto is the [Request].Features of those that a training run chooses.
const Auto = "auto"

// NewRequest returns the request for kinds with the given names.
func NewRequest(kinds []string, features string) (Request, error) {
	r := Request{Features: features}
	for _, name := range kinds {
		k, err := ParseKind(name)
		if err != nil {
			return Request{}, err
		}
		if slices.Contains(r.Kinds, k) {
			return Request{}, fmt.Errorf("querycontext: %s is there twice", k)
		}
		r.Kinds = append(r.Kinds, k)
	}
	return r, nil
}

// IsZero reports whether nothing is asked for.
func (r Request) IsZero() bool { return len(r.Kinds) == 0 && r.like == nil }

// Errors about features that a request names.
var (
	// ErrFeature: no feature has the name or the number.
	ErrFeature = errors.New("no such feature")
	// ErrAuto: only a training run can choose features.
	ErrAuto = errors.New("features are chosen by train alone; name them, or train and take those of the model")
	// ErrTaken: the data has a column with the name of a context already.
	ErrTaken = errors.New("the data has a column of that name already, and so a second one would be ambiguous")
)

// Columns returns the columns that are asked for, of data whose raw features have the given names:
// kind by kind, and the features of a kind ascending. It returns nil if nothing is asked for. Errors
// wrap [ErrFeature], [ErrTaken] or [ErrAuto].
func (r Request) Columns(raw []string) (*Columns, error) {
	if r.IsZero() {
		return nil, nil
	}
	if r.like != nil {
		return r.likeIn(raw)
	}
	features, err := r.features(raw)
	if err != nil {
		return nil, err
	}
	c := &Columns{Raw: len(raw)}
	for _, k := range r.Kinds {
		if k == Count {
			c.List = append(c.List, Column{Kind: Count})
			continue
		}
		for _, f := range features {
			c.List = append(c.List, Column{k, f})
		}
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	return c, c.checkNames(raw)
}

// likeIn returns the columns of a model for raw features, which are found by their names.
func (r Request) likeIn(raw []string) (*Columns, error) {
	place := make(map[string]int, len(raw))
	for f, name := range raw {
		place[name] = f
	}
	c := &Columns{Raw: len(raw)}
	for _, column := range r.like.List {
		if column.Kind != Count {
			f, found := place[r.names[column.Feature]]
			if !found {
				return nil, fmt.Errorf("%q: %w, and the model has its query context", r.names[column.Feature], ErrFeature)
			}
			column.Feature = f
		}
		c.List = append(c.List, column)
	}
	return c, c.checkNames(raw)
}

// checkNames returns an error if a raw feature has the name of a column.
func (c *Columns) checkNames(raw []string) error {
	known := make(map[string]bool, len(raw))
	for _, name := range raw {
		known[name] = true
	}
	for _, column := range c.List {
		if name := column.Name(raw); known[name] {
			return fmt.Errorf("query_context: %q: %w", name, ErrTaken)
		}
	}
	return nil
}

// features returns the numbers of the features that are named, ascending.
func (r Request) features(raw []string) ([]int, error) {
	var list []int
	if r.Features == Auto {
		return nil, fmt.Errorf("query_context_features=%s: %w", Auto, ErrAuto)
	}
	if r.AllFeatures() {
		skipped := make(map[int]bool, len(r.Skip))
		for _, f := range r.Skip {
			skipped[f] = true
		}
		for f := range raw {
			if !skipped[f] {
				list = append(list, f)
			}
		}
		return list, nil
	}
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

// find returns the first and the last of the features that an item of the list means.
func find(item string, raw []string) (first, last int, err error) {
	if first, last, ok := parseRange(item); ok {
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
