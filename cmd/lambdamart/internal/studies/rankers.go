package studies

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// rankerList is the value of ranker_settings: rankers with parameters of their own, as in
//
//	small=ranknet: hidden_layers=64,32 epochs=50, trees=lambdamart/slow: learning_rate=0.05
//
// An item begins with the name of a ranker, its kind if that is not the name, and the name of a variant if it
// has several. Commas separate items, as in other lists; a comma in a value is not followed by such a beginning.
type rankerList struct {
	dst  *[]study.RankerSpec
	text string
}

// itemHead matches the beginning of an item. The lengths are limited because names are parts of file names.
var itemHead = regexp.MustCompile(`(?:^|,)\s*([A-Za-z0-9][A-Za-z0-9._+-]{0,59})(?:=([a-z0-9-]+))?` +
	`(?:/([A-Za-z0-9][A-Za-z0-9._+-]{0,59}))?:`)

// Set implements [param.Value].
func (l *rankerList) Set(text string) error {
	l.text, *l.dst = text, nil
	heads := headsIn(text)
	if before := strings.TrimSpace(text[:startOf(heads, 0, text)]); before != "" {
		return fmt.Errorf("%.60q: want NAME: key=value key=value, with NAME=KIND or NAME/VARIANT before the colon; "+
			"names have up to 60 letters of A to Z, digits and . _ + -", before)
	}
	for i, h := range heads {
		group := func(n int) string {
			if h[2*n] < 0 {
				return ""
			}
			return text[h[2*n]:h[2*n+1]]
		}
		err := l.add(group(1), group(2), group(3), text[h[1]:startOf(heads, i+1, text)])
		if err != nil {
			return err
		}
	}
	for i := range *l.dst {
		if e := &(*l.dst)[i]; e.Kind == "" {
			e.Kind = e.Name
		}
	}
	return nil
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

// add adds an item with its settings to the list.
func (l *rankerList) add(name, kind, variant, body string) error {
	i := slices.IndexFunc(*l.dst, func(e study.RankerSpec) bool { return e.Name == name })
	known := i >= 0
	if !known {
		i, *l.dst = len(*l.dst), append(*l.dst, study.RankerSpec{Name: name})
	}
	e := &(*l.dst)[i]
	if kind != "" && e.Kind != "" && kind != e.Kind {
		return fmt.Errorf("ranker %s is of the kind %s and of the kind %s", name, e.Kind, kind)
	}
	if kind != "" {
		e.Kind = kind
	}
	settings, err := settingsOf(strings.Trim(body, " \t,"), strings.TrimSuffix(name+"/"+variant, "/"))
	switch {
	case err != nil:
		return err
	case variant == "" && known && e.Settings != nil,
		slices.ContainsFunc(e.Variants, func(v study.RankerVariant) bool { return v.Name == variant }):
		return fmt.Errorf("%s comes twice", strings.TrimSuffix(name+"/"+variant, "/"))
	case variant == "":
		e.Settings = settings
	default:
		e.Variants = append(e.Variants, study.RankerVariant{Name: variant, Settings: settings})
	}
	return nil
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

// String implements [param.Value].
func (l *rankerList) String() string { return l.text }

// Check implements [param.Value].
func (l *rankerList) Check() error { return nil }

// Type implements [param.Value].
func (l *rankerList) Type() string { return "list of rankers with parameters" }

// Range implements [param.Value].
func (l *rankerList) Range() string { return "" }
