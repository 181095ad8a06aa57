package study

import (
	"encoding/json"
	"math"
)

// nullable is a list of numbers that may be NaN, which is null in JSON.
type nullable []float64

// MarshalJSON implements [json.Marshaler].
func (v nullable) MarshalJSON() ([]byte, error) {
	list := make([]*float64, len(v))
	for i := range v {
		if !math.IsNaN(v[i]) {
			list[i] = &v[i]
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *nullable) UnmarshalJSON(text []byte) error {
	var list []*float64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*v = nil
	for _, value := range list {
		if value == nil {
			*v = append(*v, math.NaN())
		} else {
			*v = append(*v, *value)
		}
	}
	return nil
}
