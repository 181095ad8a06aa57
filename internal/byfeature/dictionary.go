package byfeature

import (
	"strconv"
	"strings"
)

// Dictionary finds the category that a text or a number of data stands for: the place of the text in a
// list, such as dataset.Meta.Dictionaries has for a feature.
type Dictionary struct {
	place    map[string]float64
	numbers  map[float64]float64 // nil if any text is no number
	switches map[string]float64  // of true and false in lower case; nil if any text is another
}

// NewDictionary returns the dictionary of a list. If all of its texts are numbers, every way of writing
// a number finds it; if all are true or false in any case, so do true, True and FALSE.
func NewDictionary(words []string) *Dictionary {
	d := &Dictionary{place: make(map[string]float64, len(words)), numbers: map[float64]float64{},
		switches: map[string]float64{}}
	for i, word := range words {
		setFirst(d.place, word, i)
		if lower := strings.ToLower(word); lower != "true" && lower != "false" {
			d.switches = nil
		} else if d.switches != nil {
			setFirst(d.switches, lower, i)
		}
		number, err := strconv.ParseFloat(word, 64)
		if err != nil {
			d.numbers = nil
		}
		if d.numbers != nil {
			setFirst(d.numbers, number, i)
		}
	}
	return d
}

func setFirst[K comparable](places map[K]float64, key K, i int) {
	if _, has := places[key]; !has {
		places[key] = float64(i)
	}
}

// Category returns the category of a text, and whether there is one.
func (d *Dictionary) Category(text []byte) (float64, bool) {
	place, known := d.place[string(text)]
	switch {
	case known:
	case d.switches != nil:
		place, known = d.switches[strings.ToLower(string(text))]
	case d.numbers != nil:
		if number, err := strconv.ParseFloat(string(text), 64); err == nil {
			place, known = d.numbers[number]
		}
	}
	return place, known
}

// OfNumbers reports whether numbers have categories: all texts are numbers, or true or false.
func (d *Dictionary) OfNumbers() bool { return len(d.switches) > 0 || len(d.numbers) > 0 }

// CategoryOf returns the category of a number, and whether there is one. 1 is true, and 0 is false.
func (d *Dictionary) CategoryOf(number float64) (float64, bool) {
	if d.switches != nil && (number == 0 || number == 1) {
		place, known := d.switches[strconv.FormatBool(number == 1)]
		return place, known
	}
	place, known := d.numbers[number]
	return place, known
}
