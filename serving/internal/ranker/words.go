package ranker

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/category"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/tree"
)

// dictionariesOf returns the dictionaries of a model, by feature.
func dictionariesOf(e *tree.Ensemble) map[int]*category.Dictionary {
	all := make(map[int]*category.Dictionary, len(e.Dictionaries))
	for f, words := range e.Dictionaries {
		all[f] = category.NewDictionary(words)
	}
	return all
}

// values returns the values of a feature that has its own tensor. Texts become categories, and so do numbers
// if the texts of the feature are numbers. As in training, unknown values are missing.
func (r *Ranker) values(f int, t *oip.Tensor) ([]float64, error) {
	words, ok := r.words[f]
	switch {
	case ok && t.Type == oip.BYTES:
		values := make([]float64, len(t.Texts))
		for i, text := range t.Texts {
			values[i] = orNaN(words.Category([]byte(text)))
		}
		return values, nil
	case !ok || !words.OfNumbers():
		return t.Numbers()
	}
	numbers, err := t.Numbers()
	values := make([]float64, len(numbers))
	for i, number := range numbers {
		values[i] = orNaN(words.CategoryOf(number))
	}
	return values, err
}

func orNaN(category float64, known bool) float64 {
	if !known {
		return math.NaN()
	}
	return category
}

// Categories returns the texts of the values 0, 1, … of features, by feature name; nil if there are none.
func (r *Ranker) Categories() map[string][]string {
	var all map[string][]string
	for f, words := range r.texts {
		if f >= len(r.names) {
			continue
		}
		if all == nil {
			all = map[string][]string{}
		}
		all[r.names[f]] = words
	}
	return all
}
