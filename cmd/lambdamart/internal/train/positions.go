package train

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/metric"
)

// positionsEvent has the biases of positions that training has learned, or their ratios.
type positionsEvent struct {
	Biases []positionBias  `json:"biases,omitempty"`
	Ratios []positionRatio `json:"ratios,omitempty"`
}

type positionBias struct {
	Position string       `json:"position"`
	Bias     metric.Value `json:"bias"`
}

type positionRatio struct {
	Position  string       `json:"position"`
	Clicked   metric.Value `json:"clicked"`
	Unclicked metric.Value `json:"unclicked"`
}

// emitPositions emits what training has learned of positions, if it has learned anything.
func emitPositions(m *cli.Console, r *booster.Result) {
	var e positionsEvent
	for _, b := range r.PositionBiases {
		e.Biases = append(e.Biases, positionBias{b.Position, metric.Value(b.Bias)})
	}
	for _, p := range r.PositionRatios {
		e.Ratios = append(e.Ratios, positionRatio{p.Position, metric.Value(p.Clicked), metric.Value(p.Unclicked)})
	}
	if e.Biases != nil || e.Ratios != nil {
		m.Emit(e)
	}
}

func (e positionsEvent) Kind() string { return "positions" }
func (e positionsEvent) Level() int   { return 1 }

func (e positionsEvent) String() string {
	if e.Ratios != nil {
		return "ratios of clicks, of no clicks, at positions:" + listed(e.Ratios, func(p positionRatio) string {
			return fmt.Sprintf(" %s: %.4g, %.4g", p.Position, float64(p.Clicked), float64(p.Unclicked))
		})
	}
	return "biases of positions:" + listed(e.Biases, func(p positionBias) string {
		return fmt.Sprintf(" %s: %.4g", p.Position, float64(p.Bias))
	})
}

// listed returns the texts of the first positions.
func listed[T any](all []T, text func(T) string) string {
	const most = 30
	var texts []string
	for _, p := range all[:min(most, len(all))] {
		texts = append(texts, text(p))
	}
	if len(all) > most {
		texts = append(texts, fmt.Sprintf(" and %d more (--log-json has all)", len(all)-most))
	}
	return strings.Join(texts, ";")
}
