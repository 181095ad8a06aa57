package main

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/param"
)

const groupExport = "Export"

// checkTo finds a target that there is not. None is the command's own fault to find.
func (x *exportOptions) checkTo() error {
	if x.to != "" && x.findTarget() == nil {
		return fmt.Errorf("must be one of %s", strings.Join(targetNames(), ", "))
	}
	return nil
}

// table returns the parameters of export and check-export.
func (x *exportOptions) table() param.Table {
	return param.Table{
		{Name: "to", Group: groupExport,
			Help:  "Form in which the model is written.",
			Value: param.Checked(param.Text(&x.to), strings.Join(targetNames(), ", "), x.checkTo)},
		{Name: "features", Group: groupExport,
			Help:  "File of feature names, a line each: the model's name, a tab or blanks, and the engine's (for RankLib its number in the feature set, from 1). Every feature in use must be there.",
			Value: param.Text(&x.features)},
		{Name: "vectors", Group: groupExport,
			Help:  "Test vectors to write: rows, and the scores that the engine must give them.",
			Value: param.Int(&x.vectors, param.AtLeast(0))},
		{Name: "vectors_file", Group: groupExport,
			Help:  "File of the test vectors; the name of the exported file with .vectors.json behind, if it is not given.",
			Value: param.Text(&x.vectorsFile)},
		{Name: "engine", Group: groupExport,
			Help:  "Engine that will load the file, with its version, as in opensearch-3.5, elasticsearch-8.15.3 or solr-9.2: what this one does with missing values is made to agree, or refused.",
			Value: param.Text(&x.engine)},
		{Name: "no_missing", Group: groupExport,
			Help:  "The engine will see no missing values: write the model although the engine would send them elsewhere.",
			Value: param.Bool(&x.noMissing)},
		{Name: "version", Group: groupExport,
			Help:  "Version of LightGBM's text: v3, which LightGBM 3 and 4, treelite and leaves read, or v4.",
			Value: param.Choice(&x.version, lightgbm.V3, lightgbm.V4)},
		{Name: "model_name", Group: groupExport,
			Help:  "Name of the model in Solr (lambdamart if it is not given), Go package, or what names in C begin with (ranker).",
			Value: param.Text(&x.name)},
		{Name: "feature_store", Group: groupExport,
			Help:  "Feature store of the model in Solr; Solr's default if it is not given.",
			Value: param.Text(&x.store)},
		{Name: "number_type", Group: groupExport,
			Help:  "Numbers of an ONNX model. float64 needs a runtime with ai.onnx.ml 3.",
			Value: param.Choice(&x.numberType, number32, number64)},
	}
}
