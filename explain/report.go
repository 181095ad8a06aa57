package explain

import (
	"encoding/json"
	"io"
)

// Report is all that was explained, as it is printed. Parts that were not asked for are nil.
type Report struct {
	Model string   `json:"model"` // its file
	Data  string   `json:"data"`  // its file
	Notes []string `json:"notes,omitempty"`

	Query *Query `json:"query,omitempty"`
	Pair  *Pair  `json:"pair,omitempty"`

	Metric       string        `json:"metric,omitempty"`
	Losses       *Losses       `json:"losses,omitempty"`
	Importance   []Importance  `json:"importance,omitempty"`
	Dependences  []Dependence  `json:"dependences,omitempty"`
	Interactions []Interaction `json:"interactions,omitempty"`
	Surfaces     []Surface     `json:"surfaces,omitempty"`
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(r)
}

// Overview fills in what can be said about all queries that were loaded: losses, importance, and the
// dependence on the strongest features and pairs. level is that of intervals; progress is as for
// [Data.Importance].
func (r *Report) Overview(d *Data, level float64, progress func()) (err error) {
	const features, pairs, surfaces = 10, 10, 2
	losses := d.Losses()
	r.Losses, r.Metric = &losses, d.metric().Name()
	if r.Importance, err = d.Importance(level, progress); err != nil {
		return err
	}
	var strongest []string
	for _, i := range r.Importance[:min(features, len(r.Importance))] {
		strongest = append(strongest, i.Feature)
	}
	r.Dependences = d.Dependences(strongest)
	if r.Interactions, err = d.Interactions(pairs); err != nil {
		return err
	}
	for _, i := range r.Interactions[:min(surfaces, len(r.Interactions))] {
		r.Surfaces = append(r.Surfaces, d.Surface(i.Features[0], i.Features[1]))
	}
	return nil
}
