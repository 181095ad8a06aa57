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
