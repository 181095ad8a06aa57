package train

import (
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// memberEvent is a model of an ensemble.
type memberEvent struct {
	Model     int          `json:"model"`
	Of        int          `json:"of"`
	Objective string       `json:"objective"`
	Seed      uint64       `json:"seed"`
	Trees     int          `json:"trees"`
	Stopped   string       `json:"stopped"`
	Watched   string       `json:"watched,omitempty"`
	Value     metric.Value `json:"value"`
	Spread    metric.Value `json:"spread"`
	Factor    metric.Value `json:"factor"`
}

func newMemberEvent(k int, result *booster.Result) memberEvent {
	m := &result.Members[k]
	return memberEvent{Model: k + 1, Of: len(result.Members), Objective: m.Objective, Seed: m.Seed,
		Trees:   len(m.Model.Trees),
		Stopped: string(m.Stopped), Watched: m.Watched, Value: metric.Value(m.BestValue),
		Spread: metric.Value(m.Spread), Factor: metric.Value(m.Factor)}
}

func (e memberEvent) Kind() string { return "member" }
func (e memberEvent) Level() int   { return 1 }

func (e memberEvent) String() string {
	best := ""
	if e.Watched != "" {
		best = fmt.Sprintf(" (best %s %.5f)", e.Watched, float64(e.Value))
	}
	return fmt.Sprintf("model %d of %d: objective=%s, seed %d, %s trees%s; spread of scores %.6g, values "+
		"times %v",
		e.Model, e.Of, e.Objective, e.Seed, wording.Thousands(e.Trees), best, float64(e.Spread), float64(e.Factor))
}
