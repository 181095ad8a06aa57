package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
)

const groupExport = "Export"

// exportOptions are the parameters of export and check-export.
type exportOptions struct {
	model.Options        // as the library has them, without names
	to            string // name of the target
	features      string // file of the names
	vectorsFile   string
}

// table returns the parameters of export and check-export, but for those of the targets that other
// commands have too. Those of the library come last.
func (x *exportOptions) table() param.Table {
	library := x.Options.Table()
	vectors := *library.Find("vectors")
	own := param.Table{
		{Name: "to", Group: groupExport,
			Help:  "Form in which the model is written.",
			Value: param.Checked(param.Text(&x.to), strings.Join(model.TargetNames(), ", "), x.checkTo)},
		{Name: "features", Group: groupExport,
			Help:  "File of feature names, a line each: the model's name, a tab or blanks, and the engine's (for RankLib its number in the feature set, from 1). Every feature in use must be there.",
			Value: param.Text(&x.features)},
		vectors,
		{Name: "vectors_file", Group: groupExport,
			Help:  "File of the test vectors; the name of the exported file with .vectors.json behind, if it is not given.",
			Value: param.Text(&x.vectorsFile)},
	}
	return append(own, slices.DeleteFunc(library, func(p param.Parameter) bool {
		return p.Name == vectors.Name || p.Name == featureBase
	})...)
}

// featureBase is the parameter that says how features are numbered, in data and in RankLib's files.
const featureBase = "feature_base"

// checkTo refuses a target that does not exist. The commands themselves refuse the absence of a
// target, because only export needs one.
func (x *exportOptions) checkTo() error {
	if _, found := model.FindTarget(x.to); x.to != "" && !found {
		return fmt.Errorf("must be one of %s", strings.Join(model.TargetNames(), ", "))
	}
	return nil
}
