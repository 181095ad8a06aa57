package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/target"
)

// engine is a search engine with its version, as "opensearch-3.5".
type engine struct {
	name    string // empty if none is given
	version [3]int // major, minor, patch
}

// parseEngine reads a name and a version of one to three numbers.
func parseEngine(text string) (engine, error) {
	if text == "" {
		return engine{}, nil
	}
	name, numbers, _ := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	e := engine{name: name}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || i >= len(e.version) {
			return engine{}, usagef("engine=%s: write a name and a version, as in opensearch-3.5", text)
		}
		e.version[i] = n
	}
	return e, nil
}

func (e engine) String() string {
	return fmt.Sprintf("%s-%d.%d.%d", e.name, e.version[0], e.version[1], e.version[2])
}

func (e engine) before(major, minor, patch int) bool {
	return slices.Compare(e.version[:], []int{major, minor, patch}) < 0
}

// What the learning-to-rank plugins do with a feature that a document does not have
// is told in docs/export.md, with where it is known from.

// xgboostMissing returns the rule of the engines that load XGBoost's JSON. Without an
// engine it is that of the newest ones.
func xgboostMissing(e engine) target.Missing {
	switch {
	case e.name == elasticsearch && e.before(8, 11, 4):
		return target.MissingZero
	case e.name == opensearch && e.before(3, 2, 0):
		return target.MissingZero
	case e.name == opensearch && e.before(3, 8, 0):
		return target.MissingRight
	}
	return target.MissingSide
}

func solrMissing(e engine) target.Missing {
	if e.name == "" || e.before(9, 2, 0) {
		return target.MissingZero
	}
	return target.MissingSide
}

func alwaysZero(engine) target.Missing { return target.MissingZero }

func alwaysSide(engine) target.Missing { return target.MissingSide }

const (
	elasticsearch = "elasticsearch"
	opensearch    = "opensearch"
	solrEngine    = "solr"
)
