// Models for Elasticsearch's own learning to rank (8.12 and newer, without a plug-in),
// in the form in which Elastic's Python package eland uploads models.
//
// # The format of Elasticsearch
//
// A file is the definition of a trained model, the value of "definition" in PUT _ml/trained_models:
//
//	{"trained_model":{"ensemble":{
//	  "target_type":"regression","feature_names":["title",...],
//	  "trained_models":[{"tree":{
//	    "target_type":"regression","feature_names":[...],"tree_structure":[NODE,...]}},...],
//	  "aggregate_output":{"weighted_sum":{}}}}}
//
// NODE is a leaf or a split; the first one is the root, and children are the indexes of nodes:
//
//	{"node_index":3,"leaf_value":0.5}
//	{"node_index":0,"decision_type":"lte","left_child":1,"right_child":2,
//	  "split_feature":0,"threshold":0.5,"default_left":true}
//
// # How Elasticsearch scores
//
// Values are float64, x <= threshold goes left, and NaN and infinite values go to the default side (class
// TreeInferenceModel). The leaves are added in float64 with compensation (WeightedSum, a DoubleStream), and
// the score of the rescorer is float32.
//
// # What is written for Elasticsearch
//
// Thresholds are those of the model; infinite ones become the largest finite float64, so the lowest float64
// may go to the other side, as infinite values may, which Elasticsearch treats as missing. default_left is
// the side of NaN in the model. Categorical splits, linear leaves, averages, and splits that treat zeros as
// missing and send them to another side than their neighbors are refused.
package search

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// IsElastic reports whether data, the content of a file, looks like a definition of an ensemble.
func IsElastic(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"trained_model"`)) &&
		bytes.Contains(data, []byte(`"ensemble"`))
}

// ElasticCapabilities are what Elasticsearch can hold of a model.
var ElasticCapabilities = engine.Capabilities{Engine: "Elasticsearch's own learning to rank"}

// elasticText is the template of a tree: all splits, and then the leaves.
//
//go:embed elastic.tmpl
var elasticText string

// WriteElastic writes e, which must be valid, with each tree on a line of its own. The bytes depend on e
// only. A model without trees is written as one leaf of value 0.
//
// e must be one that [ElasticCapabilities] allow. Errors wrap [engine.ErrName], or come from w.
func WriteElastic(w io.Writer, e *tree.Ensemble) error {
	if err := engine.CheckNames(e.Features, isEmpty); err != nil {
		return fmt.Errorf("elastic: %w", err)
	}
	return engine.Render(w, elasticText, template.FuncMap{"finite": finite}, map[string]any{
		"Names": e.FeatureNames(), "Roots": engine.Roots(e),
	})
}

func isEmpty(name string) string {
	if name == "" {
		return "it is empty"
	}
	return ""
}

// finite returns the finite number nearest to a threshold.
func finite(t float64) float64 { return max(-math.MaxFloat64, min(t, math.MaxFloat64)) }
