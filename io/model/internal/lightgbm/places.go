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
// reach[f][k] reports whether the first k lists can belong to k of the features before f, and rest[f][k]
// whether the lists from k on can belong to f and later features.
type places struct {
	lists       [][]any
	infos       []string // of the features
	all         bool     // require that every categorical feature has a list
	reach, rest [][]bool
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

// find returns the feature of each list if all possible assignments agree on the used features.
func (p *places) find(used []int) []int {
	p.tabulate()
	n, k := len(p.infos), 0
	if !p.rest[0][0] {
		return nil
	}
	for _, f := range used {
		if p.ways(f) > 1 {
			return nil
		}
	}
	found := make([]int, 0, len(p.lists))
	for f := 0; f < n && k < len(p.lists); f++ {
		if p.fits(f, k) && p.rest[f+1][k+1] {
			found, k = append(found, f), k+1
		}
	}
	return found
}

// tabulate fills reach and rest.
func (p *places) tabulate() {
	n, m := len(p.infos), len(p.lists)
	p.reach, p.rest = make([][]bool, n+1), make([][]bool, n+1)
	for f := range p.reach {
		p.reach[f], p.rest[f] = make([]bool, m+1), make([]bool, m+1)
	}
	p.reach[0][0], p.rest[n][m] = true, true
	for f := range n {
		for k := range m + 1 {
			p.reach[f+1][k] = p.reach[f][k] && p.canLack(f) || k > 0 && p.reach[f][k-1] && p.fits(f, k-1)
		}
	}
	for f := n - 1; f >= 0; f-- {
		for k := range m + 1 {
			p.rest[f][k] = p.rest[f+1][k] && p.canLack(f) || k < m && p.rest[f+1][k+1] && p.fits(f, k)
		}
	}
}

// ways counts the lists that a feature can have, including none.
func (p *places) ways(f int) (n int) {
	lacks := false
	for k := range len(p.lists) + 1 {
		if !p.reach[f][k] {
			continue
		}
		lacks = lacks || p.canLack(f) && p.rest[f+1][k]
		if k < len(p.lists) && p.fits(f, k) && p.rest[f+1][k+1] {
			n++
		}
	}
	if lacks {
		n++
	}
	return n
}

// canLack reports whether a feature can be without a list.
func (p *places) canLack(f int) bool { return !p.all || !isCategorical(p.infos[f]) }

// isCategorical reports whether an entry of feature_infos lists categories.
func isCategorical(info string) bool { return info != "" && info != constant && info[0] != '[' }

// fits reports whether the values of a feature can be indexes into a list.
func (p *places) fits(f, k int) bool {
	info, n := p.infos[f], len(p.lists[k])
	if info == "" || info == constant {
		return true
	}
	for word := range strings.SplitSeq(strings.Trim(info, "[]"), ":") {
		v, err := strconv.ParseFloat(word, 64)
		missing := v == -1 && isCategorical(info)
		if err != nil || v != float64(int(v)) || !missing && (v < 0 || v >= float64(n)) {
			return false
		}
	}
	return true
}
