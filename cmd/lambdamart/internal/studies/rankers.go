package studies

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// rankerList is the value of ranker_settings: a text that [rankersOf] reads.
type rankerList struct{ param.Value }

// Type implements [param.Value].
func (rankerList) Type() string { return "list of rankers with parameters" }

// itemHead matches the beginning of an item. The lengths are limited because names are parts of file names.
var itemHead = regexp.MustCompile(
	`(?:^|,)\s*([A-Za-z0-9][A-Za-z0-9._+-]{0,59})(?:=([a-z0-9-]+))?(/[^:\s]*)?:`)

// rankersOf returns rankers with parameters of their own, which are written as in
//
//	small=ranknet: hidden_layers=64,32 epochs=50, slow=lambdamart: learning_rate=0.05
//
// An item begins with the name of a ranker, and its kind if that is not the name. Commas separate items, as
// in other lists; a comma in a value is not followed by such a beginning.
func rankersOf(text string) (all []study.RankerSpec, err error) {
	heads := headsIn(text)
	if before := strings.TrimSpace(text[:startOf(heads, 0, text)]); before != "" {
		return nil, fmt.Errorf("%.60q: want NAME: key=value key=value, with NAME=KIND before the colon if that is "+
			"not the name; names have up to 60 letters of A to Z, digits and . _ + -", before)
	}
	for i, h := range heads {
		name, kind, variant := group(text, h, 1), group(text, h, 2), group(text, h, 3)
		if variant != "" {
			return nil, fmt.Errorf("%s%s: %s", name, variant, gone.Why(gone.Value, "ranker_settings=NAME/VARIANT"))
		}
		if slices.ContainsFunc(all, func(e study.RankerSpec) bool { return e.Name == name }) {
			return nil, fmt.Errorf("%s comes twice", name)
		}
		settings, err := settingsOf(strings.Trim(text[h[1]:startOf(heads, i+1, text)], " \t,"), name)
		if err != nil {
			return nil, err
		}
		all = append(all, study.RankerSpec{Name: name, Kind: cmp.Or(kind, name), Settings: settings})
	}
	return all, nil
}

// group returns a group of a match in text, and "" if there is none.
func group(text string, match []int, n int) string {
	if match[2*n] < 0 {
		return ""
	}
	return text[match[2*n]:match[2*n+1]]
}

// headsIn returns the places of the beginnings of items, after which there is a blank or the item's end.
func headsIn(text string) (heads [][]int) {
	for _, h := range itemHead.FindAllStringSubmatchIndex(text, -1) {
		if end := text[h[1]:]; end == "" || strings.ContainsAny(end[:1], " \t,") {
			heads = append(heads, h)
		}
	}
	return heads
}

// startOf returns where item i begins, or the end of the text.
func startOf(heads [][]int, i int, text string) int {
	if i < len(heads) {
		return heads[i][0]
	}
	return len(text)
}

// settingsOf returns the settings in the text of an item.
func settingsOf(text, item string) ([]param.Setting, error) {
	settings, err := param.ParseArgs(strings.Fields(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", item, err)
	}
	for i := range settings {
		settings[i].Place = "ranker_settings, " + item
	}
	return settings, nil
}
