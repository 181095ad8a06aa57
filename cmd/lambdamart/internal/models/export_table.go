package models

import (
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
)

// exportParams are the parameters of export.
type exportParams struct {
	model.Options // Names is set later

	Model       string // file
	Trees       int    // number of trees to write; all if below 1
	To          string // name of the target
	Output      string // file
	Features    string // file of the names
	VectorsFile string
	Context     string // cli.Computed or cli.Precomputed
}

// defaultExport returns the default values.
func defaultExport() *exportParams { return &exportParams{Trees: -1, Context: cli.Computed} }

// Table implements [cli.Task].
func (p *exportParams) Table() param.Table {
	library := p.Options.Table()
	return slices.Concat(
		param.Table{
			cli.InputModel(&p.Model),
			cli.Output(&p.Output),
			featureBaseRow(library),
			cli.NumIterationPredict(&p.Trees),
			cli.Context(&p.Context),
			{Name: "to", Group: cli.GroupExport,
				Help:  "Form in which the model is written.",
				Value: bind.Checked(bind.Text(&p.To), targetNames(), p.checkTo)},
			{Name: "features", Group: cli.GroupExport, File: param.Read,
				Help: "File of feature names, a line each: the model's name, a tab or blanks, and the engine's (for " +
					"RankLib its number in the feature set, from 1). Every feature in use must be there.",
				Value: bind.Text(&p.Features)},
			*library.Find("vectors"),
			cli.VectorsFile(&p.VectorsFile),
		},
		cli.Without(library, "vectors", featureBase),
		param.Table{cli.Training("seed", bind.Uint64(&p.Seed))},
	)
}

// featureBase is the parameter for the number of the first feature, in data and in RankLib's files.
const featureBase = "feature_base"

// featureBaseRow returns the row that other commands have, bound to the parameter of the targets.
func featureBaseRow(library param.Table) param.Parameter {
	row := *new(data.Layout).Table().Find(featureBase)
	row.Value = library.Find(featureBase).Value
	return row
}

// targetNames lists the names of all targets.
func targetNames() string {
	var names []string
	for _, t := range model.Targets() {
		names = append(names, t.Names...)
	}
	return strings.Join(names, ", ")
}

// checkTo returns an error for an unknown target. Run reports a missing one.
func (p *exportParams) checkTo() error {
	if p.To == "" {
		return nil
	}
	_, err := model.FindTarget(p.To)
	return err
}
