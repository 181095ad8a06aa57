package train

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/metric"
)

type positionBias struct {
	Position string       `json:"position"`
	Bias     metric.Value `json:"bias"`
}

type positionRatio struct {
	Position  string       `json:"position"`
	Clicked   metric.Value `json:"clicked"`
	Unclicked metric.Value `json:"unclicked"`
}

// showPositions reports what training has learned about positions, if anything: biases, or ratios of clicks.
func showPositions(m *cli.Console, r *booster.Result) {
	var biases []positionBias
	for _, b := range r.PositionBiases {
		biases = append(biases, positionBias{b.Position, metric.Value(b.Bias)})
	}
	if biases != nil {
		m.Say("positions", "biases of positions:"+listed(biases), "biases", biases)
	}
	var ratios []positionRatio
	for _, p := range r.PositionRatios {
		ratios = append(ratios, positionRatio{p.Position, metric.Value(p.Clicked), metric.Value(p.Unclicked)})
	}
	if ratios != nil {
		m.Say("positions", "ratios of clicks, of no clicks, at positions:"+listed(ratios), "ratios", ratios)
	}
}

func (b positionBias) String() string { return fmt.Sprintf(" %s: %.4g", b.Position, float64(b.Bias)) }

func (p positionRatio) String() string {
	return fmt.Sprintf(" %s: %.4g, %.4g", p.Position, float64(p.Clicked), float64(p.Unclicked))
}

// listed returns the texts of the first positions.
func listed[T fmt.Stringer](all []T) string {
	const most = 30
	var texts []string
	for _, p := range all[:min(most, len(all))] {
		texts = append(texts, p.String())
	}
	if len(all) > most {
		texts = append(texts, fmt.Sprintf(" and %d more (--log-json has all)", len(all)-most))
	}
	return strings.Join(texts, ";")
}
