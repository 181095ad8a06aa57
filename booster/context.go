package booster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/param"
)

// groupContext is a heading of the documentation.
const groupContext = "Query context"

func contextTable(p *Params) param.Table {
	return param.Table{
		{Name: "query_context", Group: groupContext,
			Help: "Columns that compare a feature's value with the values of the query's other " +
				"documents: " +
				widened.KindNames() + ". docs/objectives.md has the formulas. Empty: none.",
			Value: bind.Checked(bind.Texts(&p.QueryContext), "of "+widened.KindNames(), p.checkKinds)},
		{Name: "query_context_features", Group: groupContext,
			Help: "Features that get query context: names, numbers of the model's columns (12) and " +
				"ranges of numbers (1-20), with commas between; all if it is empty.",
			Value: bind.Text(&p.QueryContextFeatures)},
	}
}

func (p *Params) checkKinds() error { return widened.CheckKinds(p.QueryContext) }

// CheckContext returns the error that [Params.Validate] would return about query context, or nil. Callers
// that load data call it before they do.
func (p *Params) CheckContext() error {
	if err := p.checkKinds(); err != nil {
		return err
	}
	return p.checkContext()
}

func (p *Params) checkContext() error {
	if len(p.QueryContext) > 0 && p.UseMissing && p.ZeroAsMissing {
		return fmt.Errorf("query_context=%s and zero_as_missing=true exclude each other: a context of 0 is a "+
			"value; write missing values as nan, or leave zero_as_missing out",
			strings.Join(p.QueryContext, ","))
	}
	return nil
}

// ErrContext means that parameters ask for query context, but the data was loaded without it.
var ErrContext = errors.New("the data was loaded without query context; load it with the same parameters, " +
	"by lambdamart.Load or lambdamart.Bin")

// checkData returns an error if p asks for query context that the training data does not have.
func (p *Params) checkData(train *dataset.Meta) error {
	if len(p.QueryContext) > 0 && train.Context == nil {
		return fmt.Errorf("query_context=%s: %w", strings.Join(p.QueryContext, ","), ErrContext)
	}
	return nil
}
