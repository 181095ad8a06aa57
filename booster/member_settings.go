package booster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Params.ModelSettings sets parameters of single models of an ensemble. Bins, query context, metrics and the
// kind of boosting are the same for all models, because they share the data and the validation. But
// "query_context=", without a value, trains a model without the columns of query context.

// ErrMemberSetting is wrapped by the error for a parameter that cannot be set for single models of an
// ensemble.
var ErrMemberSetting = errors.New("all models of an ensemble have the same value of it")

// modelSettingsValue is the [param.Value] of model_settings: the settings of each model, with | between
// models.
type modelSettingsValue struct{ of *[]string }

const betweenModels = "|"

func (v modelSettingsValue) Set(text string) error {
	*v.of = nil
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for _, model := range strings.Split(text, betweenModels) {
		*v.of = append(*v.of, strings.Join(strings.Fields(model), " "))
	}
	return nil
}

func (v modelSettingsValue) String() string { return strings.Join(*v.of, " "+betweenModels+" ") }
func (v modelSettingsValue) Type() string   { return "text" }
func (v modelSettingsValue) Range() string  { return "" }

// Check implements [param.Value] as far as it can be done without the other parameters.
func (v modelSettingsValue) Check() error {
	for k, text := range *v.of {
		usual := DefaultParams()
		if err := usual.applyMember(text); err != nil {
			return fmt.Errorf("model %d: %w", k+1, err)
		}
	}
	return nil
}

// ScopeOf classifies a parameter by its name; both results are false for unknown names. ofTrees reports
// whether it describes the trees, such as their learning rate, shape and sampling, in contrast to the loss,
// the number of trees and the evaluation. ofMembers reports whether models of an ensemble can differ in it.
func ScopeOf(name string) (ofTrees, ofMembers bool) {
	defaults := DefaultParams()
	row := defaults.Table().Find(name)
	if row == nil {
		return false, false
	}
	names := []string{"learning_rate", "learning_rates", "num_models", "model_objectives", "model_settings"}
	groups := []string{groupTrees, groupBoosting, groupSampling}
	return slices.Contains(names, row.Name) || slices.Contains(groups, row.Group), isOfMembers(row)
}

// isOfMembers reports whether models of an ensemble can differ in a parameter.
func isOfMembers(row *param.Parameter) bool {
	switch row.Name {
	case "objective", "num_iterations", "learning_rate", "learning_rates", "seed", "patience", "min_delta":
		return true
	case "label_gain", "data_random_seed":
		return false
	}
	all := objective.DefaultAllParams()
	return slices.Contains([]string{groupTrees, groupSampling}, row.Group) ||
		objective.Table(&all).Find(row.Name) != nil
}

// applyMember sets the parameters of one model.
func (p *Params) applyMember(text string) error {
	settings, err := param.ParseArgs(strings.Fields(text))
	if err != nil {
		return err
	}
	table := p.Table()
	for _, s := range settings {
		if row := table.Find(s.Name); row != nil && !isOfMembers(row) && !isNoContext(s) {
			return fmt.Errorf("%v: %w; give it outside model_settings", s, ErrMemberSetting)
		}
	}
	if _, err = table.Apply(settings); slices.ContainsFunc(settings, isNoContext) {
		p.QueryContextFeatures = ""
	}
	return err
}

// isNoContext reports whether a setting trains a model of an ensemble without the query context that others
// have.
func isNoContext(s param.Setting) bool { return s.Name == "query_context" && s.Value == "" }

// lacksContext reports whether model k, from 0, is trained without the query context that others have.
func (p *Params) lacksContext(k int) bool {
	n := len(p.ModelSettings)
	if n == 0 {
		return false
	}
	settings, err := param.ParseArgs(strings.Fields(p.ModelSettings[k%n]))
	return err == nil && slices.ContainsFunc(settings, isNoContext)
}

// member returns the parameters of model k, from 0, of an ensemble.
func (p *Params) member(k int) (Params, error) {
	m := *p
	m.NumModels, m.ModelObjectives, m.ModelSettings = 1, nil, nil
	m.Seed += uint64(k)
	m.Seeds = p.Seeds.plus(uint64(k))
	if n := len(p.ModelObjectives); n > 0 {
		m.Objective = p.ModelObjectives[k%n]
	}
	if n := len(p.ModelSettings); n > 0 {
		if err := m.applyMember(p.ModelSettings[k%n]); err != nil {
			return m, fmt.Errorf("model_settings, model %d: %w", k%n+1, err)
		}
	}
	return m, nil
}

// checkMembers returns an error for models that cannot be trained, and for more of them than num_models.
func (p *Params) checkMembers() error {
	n := len(p.ModelSettings)
	switch {
	case len(p.ModelObjectives) == 1 && p.NumModels == 1:
		return fmt.Errorf("model_objectives=%s has no effect with num_models=1; set objective=%s, or "+
			"num_models=2 or more", strings.Join(p.ModelObjectives, ","), p.ModelObjectives[0])
	case n > 0 && p.NumModels == 1:
		return errors.New("model_settings has no effect with num_models=1; set num_models to the number of " +
			"models, or give the settings by themselves")
	case n == 0:
		return nil
	case len(p.ModelObjectives) > 0:
		return fmt.Errorf("model_objectives=%s and model_settings: write the objectives in model_settings, as "+
			"in model_settings=\"objective=lambdarank | objective=query_rmse\", and leave model_objectives out",
			strings.Join(p.ModelObjectives, ","))
	case n > p.NumModels:
		return fmt.Errorf("model_settings has the parameters of %d models for num_models=%d; set num_models=%d "+
			"or more", n, p.NumModels, n)
	}
	var errs []error
	for k := range n {
		m, err := p.member(k)
		if err == nil {
			if err = m.Validate(); err != nil {
				err = fmt.Errorf("model_settings, model %d: %w", k+1, err)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// memberCautions returns the remarks on the parameters of each model, and on those that no model has.
func (p *Params) memberCautions() (remarks []string) {
	for k := range p.ModelSettings {
		m, err := p.member(k)
		if err != nil {
			continue // Validate returns the error
		}
		if p.lacksContext(k) && len(p.QueryContext) == 0 {
			remarks = append(remarks, fmt.Sprintf("model_settings, model %d: query_context= has no effect unless "+
				"query_context is given for all models", k+1))
		}
		for _, remark := range m.Cautions() {
			remarks = append(remarks, fmt.Sprintf("model_settings, model %d: %s", k+1, remark))
		}
	}
	if p.Objective != DefaultParams().Objective && !slices.Contains(p.objectives(), p.Objective) {
		remarks = append(remarks, fmt.Sprintf("objective=%s has no effect, as model_settings names the "+
			"objective of each model", p.Objective))
	}
	return remarks
}

// settingsRow is the row of Params.ModelSettings.
func (p *Params) settingsRow() param.Parameter {
	return param.Parameter{Name: "model_settings", Group: training.GroupTraining,
		Help: "Parameters of the models of num_models, in turn, over those that are given for all: settings of " +
			"one model with spaces between, and | between models, as in \"objective=lambdarank num_leaves=15 | " +
			"objective=query_rmse\"; query_context= trains a model without the query context of the others.",
		Value: modelSettingsValue{&p.ModelSettings}}
}
