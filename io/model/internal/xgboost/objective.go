package xgboost

import (
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// objective is the meaning of a model's objective for its scores.
type objective struct {
	lightgbm string // LightGBM's name for it
	// margin converts the base score of a file to a score: ProbToMargin of XGBoost's objective
	margin func(base float32) float64
}

// objectives are the objectives of XGBoost 1.7 to 3.x that give one score for a row.
var objectives = map[string]objective{
	"rank:ndcg":            {"lambdarank", identity},
	"rank:pairwise":        {"lambdarank", identity},
	"rank:map":             {"lambdarank", identity},
	"reg:squarederror":     {"regression", identity},
	"reg:linear":           {"regression", identity},
	"reg:squaredlogerror":  {"regression", identity},
	"reg:pseudohubererror": {"huber", identity},
	"reg:absoluteerror":    {"regression_l1", identity},
	"reg:quantileerror":    {"quantile", identity},
	"binary:hinge":         {"", identity},
	"reg:logistic":         {"cross_entropy", logit},
	"binary:logistic":      {"binary sigmoid:1", logit},
	"binary:logitraw":      {"", identity}, // its base score is a margin, unlike that of binary:logistic
	"count:poisson":        {"poisson", logarithm},
	"reg:gamma":            {"gamma", logarithm},
	"reg:tweedie":          {"tweedie", logarithm},
	"survival:cox":         {"", logarithm},
}

// readBaseScore adds the base score to the model as its first tree. XGBoost 3 writes it as an array of one
// number within a string.
func readBaseScore(e *tree.Ensemble, c document.Cursor, margin func(base float32) float64) {
	text := c.Text()
	list := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if strings.Contains(list, ",") {
		c.Failf(document.ErrUnsupported, "base scores %s: more than one score for a row", document.Clip(text))
		return
	}
	base, err := strconv.ParseFloat(list, 32)
	score := margin(float32(base))
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		c.Failf(document.ErrNumber, "base score %q", document.Clip(text))
		return
	}
	if score != 0 {
		e.Trees = append(e.Trees, engine.Constant(score))
	}
}

// The conversions are computed in float32 where XGBoost does.

func identity(base float32) float64 { return float64(base) }

func logit(base float32) float64 {
	const least = 1e-6 // kRtEps
	base = min(max(base, least), 1-least)
	return float64(float32(-math.Ln2 * exact.Log2(float64(1/base-1))))
}

func logarithm(base float32) float64 { return float64(float32(math.Ln2 * exact.Log2(float64(base)))) }
