package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Names of the engines whose versions matter.
const (
	Elasticsearch = "elasticsearch" // the plugin elasticsearch-learning-to-rank
	OpenSearch    = "opensearch"    // the plugin opensearch-learning-to-rank
	Solr          = "solr"          // the module ltr
)

// Version is an engine with its version, such as "opensearch-3.5". The zero value means no particular engine.
type Version struct {
	Name                string
	Major, Minor, Patch int
}

// Parse reads a name, a hyphen and a version of one to three numbers. The empty text is the
// zero Version.
func Parse(text string) (Version, error) {
	if text == "" {
		return Version{}, nil
	}
	name, numbers, _ := strings.Cut(text, "-")
	v := Version{Name: name}
	places := []*int{&v.Major, &v.Minor, &v.Patch}
	for i, part := range strings.Split(numbers, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || i >= len(places) || name == "" {
			return Version{}, fmt.Errorf("engine=%s: write a name and a version, as in opensearch-3.5", text)
		}
		*places[i] = n
	}
	return v, nil
}

// String returns the form that [Parse] reads, with all three numbers.
func (v Version) String() string {
	return fmt.Sprintf("%s-%d.%d.%d", v.Name, v.Major, v.Minor, v.Patch)
}

// IsZero reports whether v is not a particular engine.
func (v Version) IsZero() bool { return v.Name == "" }

// Before reports whether v is older than a version of the same engine.
func (v Version) Before(major, minor, patch int) bool {
	return slices.Compare([]int{v.Major, v.Minor, v.Patch}, []int{major, minor, patch}) < 0
}
