package train

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/training"
)

// positionsEvent has the biases of positions that training has learned.
type positionsEvent struct {
	Biases []positionBias `json:"biases"`
}

type positionBias struct {
	Position string     `json:"position"`
	Bias     cli.Number `json:"bias"`
}

func newPositionsEvent(biases []training.PositionBias) (e positionsEvent) {
	for _, b := range biases {
		e.Biases = append(e.Biases, positionBias{b.Position, cli.Number(b.Bias)})
	}
	return e
}

func (e positionsEvent) Kind() string { return "positions" }
func (e positionsEvent) Level() int   { return 1 }

func (e positionsEvent) String() string {
	const most = 30
	var b strings.Builder
	b.WriteString("biases of positions:")
	for i, p := range e.Biases {
		if i == most {
			fmt.Fprintf(&b, " and %d more (--log-json has all)", len(e.Biases)-most)
			break
		}
		fmt.Fprintf(&b, " %s: %.4g;", p.Position, float64(p.Bias))
	}
	return strings.TrimSuffix(b.String(), ";")
}
