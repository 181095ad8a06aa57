package booster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// provenance returns the section of a model's file about its run ([provenance.Format]). obj is the
// caller's own objective, or nil.
func (p *Params) provenance(train Data, valid []Data, obj objective.Objective, before int, r *Result) (string,
	error) {
	data := rounds.Provenance(train, valid, p.NumThreads, r)
	by := provenance.Train
	if obj != nil {
		by = "an objective of its own"
	}
	facts := []param.Setting{{Name: provenance.MadeBy, Value: by}}
	if before > 0 {
		facts = append(facts, param.Setting{Name: provenance.TreesBefore, Value: strconv.Itoa(before)})
	}
	facts = append(facts, data...)
	if r.ActiveShares != nil {
		facts = append(facts, param.Setting{Name: provenance.ActiveShares, Value: sharesText(r.ActiveShares)})
	}
	if r.Bounds != nil {
		facts = append(facts, param.Setting{Name: provenance.Bounds, Value: boundsText(r.Bounds)})
	}
	numbered := *p // bins have no names of categorical features
	numbered.CategoricalFeature = train.Values.Mapper.CategoricalFeatures()
	if len(p.QueryContext) == 0 { // it is that of binned data, or of the model that training continues from
		numbered.QueryContext, numbered.QueryContextFeatures = contextOf(train)
	}
	parameters, err := numbered.settings(obj, provenance.Value(data, provenance.BestMetric) != "")
	return provenance.Format(parameters, facts), err
}

// contextOf returns the parameters of the query context of data.
func contextOf(d Data) (kinds []string, features string) {
	return widened.Asked(d.Meta.Context, func(f int) bool {
		bins := &d.Values.Mapper.Features[f]
		return bins.Constant() || bins.IsCategorical() || slices.Contains(d.Meta.Absent, f)
	})
}

// boundsText says what the model has of each constraint, as in "ndcg@10@click>=0.42 missed: 0.417".
func boundsText(bounds []training.Bound) string {
	var texts []string
	for _, b := range bounds {
		word := "met"
		if !b.Met() {
			word = "missed"
		}
		texts = append(texts, fmt.Sprintf("%s %s: %v", b.Constraint, word, b.Value))
	}
	return strings.Join(texts, ", ")
}

// ofRefit are the parameters that [Refit] uses, except those of the objective.
var ofRefit = []string{"objective", "lambda_l1", "lambda_l2", "max_delta_step", "seed",
	"saved_feature_importance_type"}

// refitProvenance returns the provenance section of a model that [Refit] made from another one.
func (p *Params) refitProvenance(of *tree.Ensemble, meta *dataset.Meta, obj objective.Objective,
	decay float64) (string, error) {
	facts := []param.Setting{
		{Name: provenance.MadeBy, Value: "refit"},
		{Name: provenance.Version, Value: provenance.Release},
		{Name: provenance.Rows, Value: strconv.Itoa(meta.AllRows())},
		{Name: provenance.Queries, Value: strconv.Itoa(len(meta.Queries))},
	}
	facts = append(facts, provenance.FactOfAbsent(provenance.Absent(of))...)
	facts = append(facts, provenance.FactOfNumbering(provenance.NumberingOf(of))...)
	all, err := p.settings(obj, false)
	ofObjective := objective.Table(&p.AllParams)
	used := slices.DeleteFunc(all, func(s param.Setting) bool {
		return !slices.Contains(ofRefit, s.Name) && ofObjective.Find(s.Name) == nil
	})
	decayed := param.Setting{Name: "refit_decay_rate", Value: strconv.FormatFloat(decay, 'g', -1, 64)}
	return provenance.Format(append(used, decayed), facts), err
}

// settings returns the parameters that models depend on. It includes those of evaluation only if a metric was
// watched, and those of objectives only if the objective is not the caller's own, except those by which the
// model is judged later. The value of a file is a hash of its content instead of the path.
func (p *Params) settings(obj objective.Objective, watched bool) (all []param.Setting, err error) {
	unused := objective.Table(&p.AllParams)
	evaluation := []string{rounds.GroupEvaluation, rounds.GroupStopping}
	usual := DefaultParams()
	for _, row := range p.Table() {
		judges := (row.Name == "metric_convention" || row.Name == "label_gain") &&
			row.Value.String() != usual.Table().Find(row.Name).Value.String() // models are judged by these later
		own := obj != nil && (row.Name == "objective" || unused.Find(row.Name) != nil)
		unconstrained := p.Constraint == nil && strings.HasPrefix(row.Name, "constraint")
		unwatched := !watched && slices.Contains(evaluation, row.Group)
		if row.SameModel || unconstrained || !judges && (own || unwatched) {
			continue
		}
		value := row.Value.String()
		if row.File == param.Read && value != "" {
			if value, err = contentOf(value); err != nil {
				return nil, fmt.Errorf("%s: %w", row.Name, err)
			}
		}
		all = append(all, param.Setting{Name: row.Name, Value: value})
	}
	return all, nil
}

func contentOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return provenance.ContentPrefix + hex.EncodeToString(sum[:16]), nil
}
