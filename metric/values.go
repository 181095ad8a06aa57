package metric

import (
	"encoding/json"
	"math"
)

// Value is a number, such as a mean, that is null in JSON if it is not finite.
type Value float64

// MarshalJSON implements [json.Marshaler].
func (n Value) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Value) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Value(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Values are numbers that may be NaN, which is null in JSON.
type Values []float64

// MarshalJSON implements [json.Marshaler].
func (v Values) MarshalJSON() ([]byte, error) {
	list := make([]*float64, len(v))
	for i := range v {
		if !math.IsNaN(v[i]) {
			list[i] = &v[i]
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Values) UnmarshalJSON(text []byte) error {
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
