package train

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/report"
)

// showPositions reports what training has learned about positions, if anything.
func showPositions(m *cli.Console, r *booster.Result) {
	var biases []report.Record
	var texts []string
	for _, b := range r.PositionBiases {
		biases = append(biases, report.Record{"position", b.Position, "bias", b.Bias})
		texts = append(texts, fmt.Sprintf(" %s: %.4g", b.Position, b.Bias))
	}
	if biases != nil {
		m.Say("positions", "biases of positions:"+listed(texts), "biases", biases)
	}
}

// listed returns the texts of the first positions.
func listed(texts []string) string {
	const most = 30
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most:most], fmt.Sprintf(" and %d more (--log-json has all)", more))
	}
	return strings.Join(texts, ";")
}
