package lightgbm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/tree"
)

// constant is the entry of feature_infos of a feature that cannot be split.
const constant = "none"

// places infers the feature of each list of pandas_categorical. The lists are in the order of the features. A
// list can belong to a feature if the values in its feature_infos are valid indexes into the list.
type places struct {
	lists [][]any
	infos []string // of the features
	all   bool     // require that every categorical feature has a list
}

// placesOf returns the feature of each list, or nil if it is ambiguous, that is, if two possible assignments
// differ in a feature that trees use. If all lists have texts, assignments are preferred in which each
// categorical feature has a list. This is LightGBM's default, although categorical_feature can name numeric
// columns too. If the preference is wrong, scoring a table fails with an error, because it has texts where
// numbers are expected.
func placesOf(lists [][]any, e *tree.Ensemble) []int {
	p := places{lists: lists, infos: make([]string, len(e.Features))}
	for f := range p.infos {
		p.infos[f] = e.Features[f].Range
	}
	used := e.UsedFeatures()
	if found := p.find(used); found != nil || !slices.ContainsFunc(lists, isText) {
		return found
	}
	if slices.ContainsFunc(lists, func(l []any) bool { return !isText(l) }) {
		return nil
	}
	p.all = true
	return p.find(used)
}

// isText reports whether a list is not empty and contains only texts that are not numbers.
func isText(list []any) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(entry any) bool {
		text, is := entry.(string)
		_, err := strconv.ParseFloat(text, 64)
		return !is || err == nil
	})
}

// find returns the feature of each list if all possible assignments agree on the used features, which are
// ascending. The first assignment gives each list to the first feature that can have it.
func (p *places) find(used []int) (found []int) {
	rest := p.rest()
	if !rest[0][0] {
		return nil
	}
	before := make([]bool, len(p.lists)+1) // the features before f have k lists in some assignment
	before[0] = true
	for f := range p.infos {
		after, with, without := make([]bool, len(before)), 0, 0
		for k, possible := range before {
			if !possible {
				continue
			}
			if p.canLack(f) && rest[f+1][k] {
				after[k], without = true, 1
			}
			if p.canHave(f, k) && rest[f+1][k+1] {
				after[k+1] = true
				with++
			}
		}
		if _, isUsed := slices.BinarySearch(used, f); isUsed && with+without > 1 {
			return nil
		}
		if k := len(found); p.canHave(f, k) && rest[f+1][k+1] {
			found = append(found, f)
		}
		before = after
	}
	return found
}

// rest returns a table: rest[f][k] reports whether the lists from k on can belong to f and later features.
func (p *places) rest() [][]bool {
	n, m := len(p.infos), len(p.lists)
	rest := make([][]bool, n+1)
	for f := n; f >= 0; f-- {
		rest[f] = make([]bool, m+1)
		for k := range rest[f] {
			if f == n {
				rest[f][k] = k == m
			} else {
				rest[f][k] = rest[f+1][k] && p.canLack(f) || p.canHave(f, k) && rest[f+1][k+1]
			}
		}
	}
	return rest
}

// canLack reports whether a feature can be without a list.
func (p *places) canLack(f int) bool { return !p.all || !isCategorical(p.infos[f]) }

// isCategorical reports whether an entry of feature_infos lists categories.
func isCategorical(info string) bool { return info != "" && info != constant && info[0] != '[' }

// canHave reports whether there is a list k that the values of a feature can be indexes into.
func (p *places) canHave(f, k int) bool {
	info := p.infos[f]
	if k >= len(p.lists) || info == "" || info == constant {
		return k < len(p.lists)
	}
	n := len(p.lists[k])
	for word := range strings.SplitSeq(strings.Trim(info, "[]"), ":") {
		v, err := strconv.ParseFloat(word, 64)
		missing := v == -1 && isCategorical(info)
		if err != nil || v != float64(int(v)) || !missing && (v < 0 || v >= float64(n)) {
			return false
		}
	}
	return true
}
