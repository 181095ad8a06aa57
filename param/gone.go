package param

// gone explains the names of parameters that no longer exist, which were in versions until 2026-11-26.
var gone = map[string]string{
	"dialect":    forSQL,
	"table_name": forSQL,

	"engine": "it named the version of a search engine; exports are for the newest versions, which docs/models.md " +
		"lists: leave it out",

	"bias":            ofJudgments,
	"click_levels":    ofJudgments,
	"click_model":     ofJudgments,
	"click_prior":     ofJudgments,
	"clicks":          ofJudgments,
	"judged":          ofJudgments,
	"log_name":        ofJudgments,
	"min_impressions": ofJudgments,
	"missing_as_zero": ofJudgments,
	"names_output":    ofJudgments,
	"unjudged":        ofJudgments,

	"model_settings": "model_objectives gives the models of an ensemble their losses; all else is the same for all " +
		"of them: leave it out",

	"max_requests": "it was for serve, where max_connections limits the requests in progress too: a " +
		"connection has one at most",
	"nan_as_zero": "it was for serve, which refuses a missing value where the model has no side for it: let " +
		"clients send the value that the training data had instead, often 0",
	"require_names": "it was for serve, which checks names if a request has them: let clients send " +
		"feature_names",
	"token_file": "it was for serve, which no longer checks tokens; let a proxy in front of it do so " +
		"(docs/production.md)",

	"tls_cert": forTLS,
	"tls_key":  forTLS,
}

const (
	forSQL      = "it was for SQL, which export no longer writes; to=c, to=go and to=java write code instead"
	ofJudgments = "it was of the command judgments; docs/training-data.ipynb makes training data from logs instead"
	forTLS      = "it was for serve, which no longer encrypts; let a proxy in front of it do so (docs/production.md)"
)
