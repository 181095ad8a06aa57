package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/param"
)

// searchSpace is a space of parameters: a list of dimensions.
type searchSpace []dimension

// dimension is a parameter with the values to try.
type dimension struct {
	Name      string   // proper name of the parameter
	Low, High float64  // bounds, unless there are Choices
	Log       bool     // logarithmic scale: equal ratios have equal distances
	Integer   bool     // whole numbers only
	Choices   []string // a single one is the value of all trials
}

// ErrSpace is wrapped by errors about spaces that cannot be searched.
var ErrSpace = errors.New("this space cannot be searched")

// unsearchable are parameters that cannot differ between trials, each list with the reason.
var unsearchable = []struct{ names, why string }{
	{"seed", "a seed is no setting; its best value means nothing for other data"},
	{"num_threads", "no model depends on it"},
	{"num_iterations", "every trial finds its best iteration"},
	{"patience", "the search sets it by the learning rate"},
	{"learning_rates", "the search sets patience and the length of a trial by one learning rate"},
	{"metric stop_metric eval_at metric_convention label_gain first_metric_only",
		"one metric judges all trials"},
	{"metric_freq", "every iteration is judged"},
	{"stop_set min_delta", "one rule stops all trials, by the validation queries"},
	{"is_provide_training_metric", "training queries are not judged"},
	{"num_models model_objectives", "each trial is one model for each part"},
	{"drop_rate max_drop skip_drop uniform_drop xgboost_dart_mode drop_seed", "it has an effect with " +
		"boosting=dart only, whose earlier iterations have no model to choose"},
	{"max_bin max_bin_by_feature min_data_in_bin bin_construct_sample_cnt is_enable_sparse use_missing " +
		"zero_as_missing categorical_feature query_context query_context_features", "bins are made once"},
}

// parseDimension returns the dimension of a parameter. Its values are written as "7..127" or "0.01..0.3 log"
// (both bounds inclusive), "lambdarank|rank_xendcg", or one value.
func parseDimension(s param.Setting) (dimension, error) {
	p := booster.DefaultParams()
	table := p.Table()
	row := table.Find(strings.ReplaceAll(s.Name, "-", "_"))
	if row == nil {
		return dimension{}, table.Unknown(s.Name)
	}
	d := dimension{Name: row.Name, Integer: row.Value.Type() == "integer"}
	for _, u := range unsearchable {
		if slices.Contains(strings.Fields(u.names), d.Name) {
			return d, fmt.Errorf("%w: %s", ErrSpace, u.why)
		}
	}
	text := strings.TrimSpace(s.Value)
	bounds, isLog := strings.CutSuffix(text, " log")
	low, high, between := strings.Cut(bounds, "..")
	switch {
	case between:
		d.Log = isLog
		if err := d.setBounds(strings.TrimSpace(low), strings.TrimSpace(high)); err != nil {
			return d, err
		}
	case isLog:
		return d, fmt.Errorf("%w: log is for a range, as in 0.01..0.3 log", ErrSpace)
	default:
		for _, choice := range strings.Split(text, "|") {
			d.Choices = append(d.Choices, strings.TrimSpace(choice))
		}
	}
	return d, d.check()
}

// setBounds parses and sets the bounds.
func (d *dimension) setBounds(low, high string) (err error) {
	var errs [2]error
	d.Low, errs[0] = strconv.ParseFloat(low, 64)
	d.High, errs[1] = strconv.ParseFloat(high, 64)
	if err := errors.Join(errs[:]...); err != nil || math.IsNaN(d.Low+d.High) || math.IsInf(d.Low, 0) ||
		math.IsInf(d.High, 0) {
		return fmt.Errorf("%w: write two numbers, as in 7..127 or 0.01..0.3 log", ErrSpace)
	}
	switch {
	case d.Low >= d.High:
		return fmt.Errorf("%w: the range is empty; the first number must be the smaller one", ErrSpace)
	case d.Log && d.Low <= 0:
		return fmt.Errorf("%w: a range of ratios (log) begins above 0", ErrSpace)
	}
	return nil
}

// check returns an error if a value of the dimension is invalid for the parameter.
func (d *dimension) check() error {
	values := d.Choices
	if values == nil {
		values = []string{d.at(0), d.at(1)}
	}
	for _, value := range values {
		p := booster.DefaultParams()
		_, err := p.Table().Apply([]param.Setting{{Name: d.Name, Value: value}})
		if err == nil {
			err = cmp.Or(checkTune(&p), check(&p))
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrSpace, err)
		}
	}
	for i, choice := range d.Choices {
		if slices.Contains(d.Choices[:i], choice) {
			return fmt.Errorf("%w: %s comes twice", ErrSpace, choice)
		}
	}
	return nil
}

// at returns the value at u, a number from 0 to 1. A choice is an interval of that range.
func (d *dimension) at(u float64) string {
	if d.Choices != nil {
		return d.Choices[min(int(u*float64(len(d.Choices))), len(d.Choices)-1)]
	}
	v := d.Low + float64(u*(d.High-d.Low))
	if d.Log {
		v = d.Low * math.Pow(d.High/d.Low, u)
	}
	v = min(max(v, d.Low), d.High)
	if d.Integer {
		return strconv.Itoa(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 3, 64) // three digits suffice, and are the same on all machines
}

// settings returns a value for each dimension, at the number that place returns for its index.
func (s searchSpace) settings(place func(dimension int) float64) (list []param.Setting) {
	for i := range s {
		list = append(list, param.Setting{Name: s[i].Name, Value: s[i].at(place(i))})
	}
	return list
}

// fixed reports whether all trials have one value.
func (d *dimension) fixed() bool { return len(d.Choices) == 1 }

// String returns the dimension as [parseDimension] reads it.
func (d dimension) String() string {
	switch {
	case d.Choices != nil:
		return d.Name + " = " + strings.Join(d.Choices, " | ")
	case d.Log:
		return fmt.Sprintf("%s = %v..%v log", d.Name, d.Low, d.High)
	}
	return fmt.Sprintf("%s = %v..%v", d.Name, d.Low, d.High)
}

// newSpace returns the space of the given dimensions, each written as a setting.
func newSpace(settings []param.Setting) (searchSpace, error) {
	var s searchSpace
	var errs []error
	for _, setting := range settings {
		d, err := parseDimension(setting)
		if err == nil && slices.ContainsFunc(s, func(o dimension) bool { return o.Name == d.Name }) {
			err = fmt.Errorf("%w: %s comes twice", ErrSpace, d.Name)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", setting, err))
			continue
		}
		s = append(s, d)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s, func(d dimension) bool { return !d.fixed() }) {
		return nil, fmt.Errorf("%w: no parameter in it has several values", ErrSpace)
	}
	return s, nil
}

// suggest sets a space that suits the size of the data m and the parameters p, and the models of preset=auto
// without what the user has set.
func (o *TuneOptions) suggest(p *booster.Params, m *dataset.Meta) {
	if OneModel(p, m) != "" || slices.Contains(o.Given, "grow_policy") {
		o.Space = defaultSpace(m, append(slices.Clone(o.Given), "grow_policy")...)
		return
	}
	o.Space = defaultSpace(m, o.Given...)
	for _, member := range presetMembers(m) {
		member = slices.DeleteFunc(member, func(s param.Setting) bool {
			return !slices.ContainsFunc(o.Space, func(d param.Setting) bool { return d.Name == s.Name })
		})
		if !slices.ContainsFunc(o.preset, func(f []param.Setting) bool { return slices.Equal(f, member) }) {
			o.preset = append(o.preset, member)
		}
	}
}

// defaultSpace returns a space that suits the size of the data m, without the parameters that the user has
// set.
func defaultSpace(m *dataset.Meta, without ...string) (settings []param.Setting) {
	few := min(max(m.NumRows()/50, 2), 100) // so trees can grow on little data
	leaves, data, hessian := "4..64 log", fmt.Sprintf("1..%d log", few), "0.001..10 log"
	switch rows := m.NumRows(); {
	case rows > 1_000_000:
		leaves, data, hessian = "31..511 log", "20..1000 log", "0.001..200 log"
	case rows > 50_000:
		leaves, data, hessian = "15..255 log", "10..500 log", "0.001..100 log"
	}
	for _, s := range []param.Setting{
		{Name: "learning_rate", Value: "0.02..0.2 log"},
		{Name: "num_leaves", Value: leaves},
		{Name: "min_data_in_leaf", Value: data},
		{Name: "min_sum_hessian_in_leaf", Value: hessian},
		{Name: "feature_fraction", Value: "0.2..1"},
		{Name: "bagging_fraction", Value: "0.4..1"},
		{Name: "bagging_freq", Value: "1"},
		{Name: "lambda_l2", Value: "0.01..30 log"},
		{Name: "objective", Value: "lambdarank|rank_xendcg|query_rmse|yetirank"},
		{Name: "grow_policy", Value: "leafwise|symmetric"},
	} {
		if !slices.Contains(without, s.Name) && !(s.Name == "bagging_freq" &&
			slices.Contains(without, "bagging_fraction")) {
			settings = append(settings, s)
		}
	}
	return settings
}

// objectives returns the objectives of trials on top of p.
func (s searchSpace) objectives(p *booster.Params) []string {
	if i := slices.IndexFunc(s, func(d dimension) bool { return d.Name == "objective" }); i >= 0 {
		return s[i].Choices
	}
	return []string{p.Objective}
}

// checkTune returns an error for parameters that are valid for training but not for trials.
func checkTune(p *booster.Params) error {
	if p.Boosting == booster.DART {
		return fmt.Errorf("boosting=dart: %w, for each trial; search with boosting=gbdt, or compare a few "+
			"settings of dart by cv, which judges the last iteration", ErrDART)
	}
	if len(p.LearningRates) > 0 {
		return errors.New("learning_rates: the search sets patience and the length of a trial by one learning " +
			"rate; leave it out")
	}
	return nil
}
