package xgboost

import (
	"slices"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
)

// eras are the versions of search engines that ignore the default side of splits.
var eras = []engine.Era{
	{
		Last: engine.Version{Name: engine.Elasticsearch, Major: 8, Minor: 11, Patch: 3},
		End:  engine.Version{Name: engine.Elasticsearch, Major: 8, Minor: 11, Patch: 4},

		Missing: engine.MissingZero, Title: "Elasticsearch LTR before 8.11.4",
	},
	{
		Last: engine.Version{Name: engine.OpenSearch, Major: 3, Minor: 1},
		End:  engine.Version{Name: engine.OpenSearch, Major: 3, Minor: 2},

		Missing: engine.MissingZero, Title: "OpenSearch LTR before 3.2",
	},
	{
		Last: engine.Version{Name: engine.OpenSearch, Major: 3, Minor: 7},
		End:  engine.Version{Name: engine.OpenSearch, Major: 3, Minor: 8},

		Missing: engine.MissingRight, Title: "OpenSearch LTR 3.2 to 3.7",
	},
}

// Eras returns the versions of search engines that treat missing values differently from XGBoost and the
// newest versions.
func Eras() []engine.Era { return slices.Clone(eras) }

// Missing returns the rule by which a program that loads the files treats missing values.
func Missing(loader engine.Version) engine.Missing {
	return engine.RuleOf(loader, eras, engine.MissingSide)
}
