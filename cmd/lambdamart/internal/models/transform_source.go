package models

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
)

// source is the data with its new columns.
type source struct {
	*data.File
	rows   dataset.Source
	meta   *dataset.Meta
	names  []string // of all columns
	absent []int    // columns that no row has
}

// contextual returns the model whose query context is written, or nil if there is none.
func (p *transformParams) contextual() (lambdamart.Model, error) {
	if p.Model == "" {
		return nil, nil
	}
	m, err := lambdamart.ReadModel(p.Model)
	if err != nil {
		return nil, err
	}
	if widened.Of(m) == nil {
		return nil, p.ofModel(fmt.Errorf("the model has no query context, so that its data needs no other columns"))
	}
	return m, nil
}

// open opens the data, with the query context columns of the model of or, if of is nil, the requested ones.
func (p *transformParams) open(ctx context.Context, of lambdamart.Model, messages *cli.Console) (_ *source,
	err error) {
	o := data.Options{Layout: p.Layout, Docs: p.format() == data.LETOR, Workers: p.Training.NumThreads}
	if p.Layout.IsTable(p.Data) {
		o.FeatureBase = 0 // feature_base numbers the features of the output
	}
	if of != nil {
		o.Features = data.FeaturesOf(of)
		o.Features.Used = nil // all columns are written
	}
	s := &source{}
	if s.File, err = cli.Open(p.Data, o, messages); err != nil {
		return nil, err
	}
	if err := s.widen(ctx, p, of, messages); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// widen adds the columns to the rows.
func (s *source) widen(ctx context.Context, p *transformParams, of lambdamart.Model,
	messages *cli.Console) error {
	var wide *widened.Source
	var err error
	if of != nil {
		wide = widened.New(s.File, widened.Of(of), nil)
	} else if wide, err = widened.Ask(ctx, s.File, widened.Request{Kinds: p.Training.QueryContext,
		Features: p.Training.QueryContextFeatures}); err != nil {
		return err
	}
	if s.meta, err = dataset.Describe(ctx, wide); err != nil {
		return err
	}
	c := wide.Context()
	s.rows = widened.New(s.File, c, nil)
	s.names, s.absent = s.meta.Features[:c.Len()], s.AbsentFeatures()
	if of != nil {
		s.names, s.absent = of.FeatureNames(), nil
		if more := wide.Raw().NumFeatures() - c.Raw; more > 0 {
			messages.Warn(fmt.Sprintf("%s: has %s more than the model; %s left out", p.Data,
				wording.Count(more, "feature"), wording.Agree(more, "it is", "they are")))
		}
	}
	messages.Warn(s.meta.Remarks...)
	return nil
}

// companions returns the files to write beside the output. It returns an error if companions of an earlier
// output exist, because they would be read with the new one.
func (p *transformParams) companions(m *dataset.Meta) ([]data.Companion, error) {
	all := data.CompanionsOf(m, p.format())
	if p.Output == "-" {
		if len(all) > 0 {
			return nil, cli.Usagef("output=-: the data has a %s file, which needs a name: give output=FILE",
				all[0].Ending)
		}
		return nil, nil
	}
	var written []string
	for _, c := range all {
		written = append(written, c.Ending)
	}
	return all, cli.CheckCompanions(p.Output, written...)
}
