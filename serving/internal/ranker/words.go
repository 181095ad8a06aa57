package ranker

import (
	"math"

	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/tree"
)

// dictionary has the value that stands for each text of a categorical feature.
type dictionary map[string]float64

// dictionariesOf returns the dictionaries of a model, by feature.
func dictionariesOf(e *tree.Ensemble) map[int]dictionary {
	all := make(map[int]dictionary, len(e.Dictionaries))
	for f, words := range e.Dictionaries {
		all[f] = make(dictionary, len(words))
		for i, word := range words {
			if _, twice := all[f][word]; !twice {
				all[f][word] = float64(i)
			}
		}
	}
	return all
}

// values returns the values of a feature that has a tensor of its own. Texts become the values that stand for
// them; a text that the model does not know is a missing value, as in training.
func (r *Ranker) values(f int, t *oip.Tensor) ([]float64, error) {
	words, ok := r.words[f]
	if !ok || t.Type != oip.BYTES {
		return t.Numbers()
	}
	values := make([]float64, len(t.Texts))
	for i, text := range t.Texts {
		v, known := words[text]
		if !known {
			v = math.NaN()
		}
		values[i] = v
	}
	return values, nil
}

// Categories returns the texts for which the values 0, 1, … of features stand, by the names of the features; nil
// if there are none.
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
