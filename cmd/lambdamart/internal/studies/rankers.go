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

// itemHead matches the beginning of an item. The lengths are limited because names are parts of file names.
var itemHead = regexp.MustCompile(
	`^\s*([A-Za-z0-9][A-Za-z0-9._+-]{0,59})(?:=([a-z0-9-]+))?(/[^:\s]*)?:(?:[ \t,]|$)`)

// rankersOf returns rankers with parameters of their own, which are written as in
//
//	small=ranknet: hidden_layers=64,32 epochs=50, slow=lambdamart: learning_rate=0.05
//
// An item begins with the name of a ranker, and its kind if that is not the name. Commas separate items, as
// in other lists; a comma in a value is not followed by such a beginning.
func rankersOf(text string) (all []study.RankerSpec, err error) {
	items := []string{""} // the first is what stands before them
	for part := range strings.SplitSeq(text, ",") {
		if itemHead.MatchString(part) {
			items = append(items, part)
		} else {
			items[len(items)-1] += "," + part
		}
	}
	if before := strings.TrimSpace(strings.TrimPrefix(items[0], ",")); before != "" {
		return nil, fmt.Errorf("%.60q: want NAME: key=value key=value, with NAME=KIND before the colon if that is "+
			"not the name; names have up to 60 letters of A to Z, digits and . _ + -", before)
	}
	for _, item := range items[1:] {
		head := itemHead.FindStringSubmatch(item)
		name, kind, variant := head[1], head[2], head[3]
		if variant != "" {
			return nil, fmt.Errorf("%s%s: %s", name, variant, gone.Why(gone.Value, "ranker_settings=NAME/VARIANT"))
		}
		if slices.ContainsFunc(all, func(e study.RankerSpec) bool { return e.Name == name }) {
			return nil, fmt.Errorf("%s comes twice", name)
		}
		settings, err := settingsOf(strings.Trim(item[len(head[0]):], " \t,"), name)
		if err != nil {
			return nil, err
		}
		all = append(all, study.RankerSpec{Name: name, Kind: cmp.Or(kind, name), Settings: settings})
	}
	return all, nil
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
