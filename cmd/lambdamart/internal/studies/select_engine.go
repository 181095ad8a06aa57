package studies

import (
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/study"
)

// engineNames returns the names that the feature set has for the features of the data, empty for features
// that it lacks, or nil if there is no feature set. Features of LETOR text have numbers instead of names:
// feature n is the n-th of the set, from 1, or from 0 if the text has feature 0.
func (p *selectParams) engineNames(meta *dataset.Meta) ([]string, error) {
	features := meta.Features
	if p.FeatureSet == "" {
		return nil, nil
	}
	set, err := stream.Read(p.FeatureSet, readSet)
	if err != nil {
		return nil, err
	}
	if slices.Equal(features, dataset.ColumnNames(len(features))) {
		return p.numbered(set, len(features), meta.Numbering)
	}
	names := make([]string, len(features))
	for f, name := range features {
		if slices.Contains(set, name) {
			names[f] = name
		}
	}
	for _, name := range set {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("feature_set=%s: the data has no feature %q; it has %s to %s", p.FeatureSet,
				name, features[0], features[len(features)-1])
		}
	}
	return names, nil
}

// numbered returns the names of n features without names.
func (p *selectParams) numbered(set []string, n int, numbering dataset.Numbering) ([]string, error) {
	first := 1 // column of the set's first feature
	if numbering != dataset.Unnumbered {
		first = 0
	}
	if first+len(set) < n {
		return nil, fmt.Errorf("feature_set=%s has %d features, and the data has feature %d; give the set that "+
			"the data was logged with", p.FeatureSet, len(set), n-first)
	}
	names := make([]string, n)
	copy(names[first:], set)
	return names, nil
}

// set returns a function that writes the part of the feature set with the chosen features.
func (p *selectParams) set(r *study.SelectResult, names []string) func(io.Writer) error {
	chosen := map[string]bool{}
	for _, f := range r.Chosen.Features {
		chosen[names[f]] = true
	}
	return func(w io.Writer) error {
		return stream.ReadFile(p.FeatureSet, func(in io.Reader, name string) error {
			return writeSubset(w, in, name, func(feature string) bool { return chosen[feature] })
		})
	}
}
