// Package provenance reads and writes the section of a model's file that describes how the model was made:
// the parameters of its run, and facts about the run and its data.
//
// # Form
//
// The section has LightGBM's form. LightGBM's readers accept the first lines, and ignore
// the last one with a warning:
//
//	[boosting: gbdt]
//	[learning_rate: 0.1]
//	…
//	[lambdamart: made_by=train; version=v0.1.0; rows=713000; …; active_fraction=auto; …]
//
// A parameter has a line of its own if LightGBM has it and can read the value. The last line has the
// facts first, and then the other parameters. A value is quoted, as Go quotes strings, unless it consists
// of ASCII letters, digits and the characters of plain.
//
// Nothing in it depends on threads, the clock, paths or the machine.
package provenance

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Release is the latest version that CHANGELOG.md describes. A program built from a checkout is that
// release plus the commits since; its command version names the commit.
const Release = "v0.1.0"

// Names of facts.
const (
	MadeBy        = "made_by"      // command that made the model: Train, or another
	Version       = "version"      // of the program
	TreesBefore   = "trees_before" // number of trees of the model from which training continued
	Rows          = "rows"         // of the training data, as are those that follow
	Queries       = "queries"
	Features      = "features"
	NotFeatures   = "not_features" // numbers of columns that count as features although no row can have them
	Numbering     = "feature_base" // number of the feature of the LETOR text that is column 0, if that is known
	DataHash      = "data_hash"    // of the bins and all else that training uses
	ValidHash     = "valid_hash"   // of the validation sets
	BestIteration = "best_iteration"
	BestScore     = "best_score"
	BestMetric    = "best_metric"
	ActiveShares  = "active_shares" // shares of the rows that the trees grew on, if training chose them
	Bounds        = "constraints"   // what the model has of each constraint
	Calibration   = "calibrated"    // of a network: its [tree.Calibration]; models of trees have a line for it
)

// Train is the value of [MadeBy] for models that can be reproduced from their parameters and data.
const Train = "train"

var factNames = []string{MadeBy, Version, TreesBefore, Rows, Queries, Features, NotFeatures,
	Numbering, DataHash,
	ValidHash, BestIteration, BestScore, BestMetric, ActiveShares, Bounds, Calibration}

// ContentPrefix begins the value of a parameter that names a file: the hash of its content follows.
const ContentPrefix = "sha256:"

const (
	own       = "lambdamart" // name of the last line
	separator = "; "
	plain     = "_.,:+*@/-"
)

// shared are the parameters that have lines of their own, by LightGBM's names.
var shared = strings.Fields(`
	bagging_by_query bagging_fraction bagging_freq bagging_seed bin_construct_sample_cnt boost_from_average
	boosting cat_l2 cat_smooth categorical_feature
	data_random_seed drop_rate drop_seed eval_at
	extra_seed extra_trees feature_contri feature_fraction feature_fraction_bynode feature_fraction_seed
	first_metric_only interaction_constraints is_provide_training_metric label_gain lambda_l1 lambda_l2
	lambdarank_norm lambdarank_position_bias_regularization lambdarank_truncation_level learning_rate
	max_bin max_bin_by_feature max_cat_threshold max_cat_to_onehot max_delta_step max_depth max_drop metric
	metric_freq min_data_in_bin min_data_in_leaf min_data_per_group min_gain_to_split
	min_sum_hessian_in_leaf monotone_constraints monotone_constraints_method monotone_penalty num_iterations
	num_leaves objective objective_seed path_smooth saved_feature_importance_type seed sigmoid
	skip_drop uniform_drop use_missing xgboost_dart_mode zero_as_missing`)

// words are the shared parameters whose values may be words, which LightGBM reads as texts.
var words = []string{"objective", "boosting", "metric", "monotone_constraints_method"}

// Format returns the lines of the section, each with its line end.
func Format(parameters, facts []param.Setting) string {
	var lines, rest []string
	for _, f := range facts {
		rest = append(rest, f.Name+"="+quoted(f.Value))
	}
	for _, p := range parameters {
		if value, is := forLightGBM(p); is {
			lines = append(lines, "["+p.Name+": "+value+"]\n")
		} else {
			rest = append(rest, p.Name+"="+quoted(p.Value))
		}
	}
	return strings.Join(append(lines, "["+own+": "+strings.Join(rest, separator)+"]\n"), "")
}

// forLightGBM returns the value as LightGBM writes it, and whether LightGBM can read it.
func forLightGBM(p param.Setting) (value string, is bool) {
	if !slices.Contains(shared, p.Name) {
		return "", false
	}
	switch value = p.Value; {
	case value == "true":
		return "1", true
	case value == "false":
		return "0", true
	case slices.Contains(words, p.Name):
		other := func(r rune) bool { return r != '_' && r != ',' && !isAlphanumeric(r) }
		return value, !strings.ContainsFunc(value, other)
	}
	for number := range strings.SplitSeq(value, ",") {
		_, err := strconv.ParseFloat(number, 64)
		if err != nil && value != "" || strings.Trim(number, "0123456789.e+-") != "" {
			return "", false
		}
	}
	return value, true
}

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// quoted returns a value as it is written in the last line.
func quoted(value string) string {
	other := func(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune(plain, r) }
	if strings.ContainsFunc(value, other) {
		return strconv.QuoteToASCII(value)
	}
	return value
}

// Of returns the parameters and facts that a model records: an ensemble of trees in its section, a network by
// its method Parameters.
func Of(model any) (parameters, facts []param.Setting, err error) {
	switch m := model.(type) {
	case *tree.Ensemble:
		return Parse(m.Parameters)
	case interface{ Parameters() map[string]string }:
		parameters, facts = divide(m.Parameters())
	}
	return parameters, facts, nil
}

// Parse returns the parameters and facts of a section. The facts are nil if it
// was written by another program.
func Parse(section string) (parameters, facts []param.Setting, err error) {
	all := map[string]string{}
	number := 0
	for line := range strings.Lines(section) {
		number++
		if err := parseLine(all, strings.TrimSpace(line)); err != nil {
			return nil, nil, fmt.Errorf("line %d of the parameters: %w", number, err)
		}
	}
	parameters, facts = divide(all)
	return parameters, facts, nil
}

// divide divides values by their names, and sorts the parameters by them.
func divide(all map[string]string) (parameters, facts []param.Setting) {
	for _, name := range factNames {
		if value, has := all[name]; has {
			facts = append(facts, param.Setting{Name: name, Value: value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(factNames, name) {
			parameters = append(parameters, param.Setting{Name: name, Value: all[name]})
		}
	}
	return parameters, facts
}

// parseLine adds the value of a line.
func parseLine(all map[string]string, line string) error {
	if line == "" {
		return nil
	}
	text, bracket := strings.CutPrefix(line, "[")
	text, end := strings.CutSuffix(text, "]")
	name, value, ok := strings.Cut(text, ":")
	if !bracket || !end || !ok {
		return fmt.Errorf("%q: not of the form [name: value]", line)
	}
	if value = strings.TrimPrefix(value, " "); name == own {
		return parseOwn(all, value)
	}
	all[name] = value
	return nil
}

// parseOwn adds the values of the last line.
func parseOwn(all map[string]string, text string) error {
	for rest := text; rest != ""; {
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return fmt.Errorf("%q: not of the form name=value", rest)
		}
		value, tail, _ := strings.Cut(after, separator)
		if strings.HasPrefix(after, `"`) {
			prefix, err := strconv.QuotedPrefix(after)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			value, _ = strconv.Unquote(prefix) // cannot fail after QuotedPrefix
			tail = strings.TrimPrefix(after[len(prefix):], separator)
		}
		all[name], rest = value, tail
	}
	return nil
}

// Edited returns the section of a model that a command made from a model with the given section.
func Edited(section, command string) string {
	return strings.Replace(section, MadeBy+"="+Train+separator, MadeBy+"="+quoted(command)+separator, 1)
}

// FactOfAbsent returns the fact from which [Absent] reads these numbers; nothing if there are none.
func FactOfAbsent(numbers []int) []param.Setting {
	if len(numbers) == 0 {
		return nil
	}
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
	return []param.Setting{{Name: NotFeatures, Value: text}}
}

// Absent returns the features that rows need not have, ascending, by what a model records.
func Absent(model any) (all []int) {
	for text := range strings.SplitSeq(factOf(model, NotFeatures), ",") {
		if number, err := strconv.Atoi(text); err == nil {
			all = append(all, number)
		}
	}
	return all
}

// FactOfNumbering returns the fact from which [NumberingOf] reads the numbering of LETOR text.
func FactOfNumbering(n dataset.Numbering) []param.Setting {
	switch n {
	case dataset.FromZero:
		return []param.Setting{{Name: Numbering, Value: "0"}}
	case dataset.FromOne:
		return []param.Setting{{Name: Numbering, Value: "1"}}
	}
	return nil
}

// NumberingOf returns how the LETOR text that a model was trained on numbers its features, as far as the
// model records it.
func NumberingOf(model any) dataset.Numbering {
	return map[string]dataset.Numbering{"0": dataset.FromZero, "1": dataset.FromOne}[factOf(model, Numbering)]
}

// factOf returns a fact that a model records, or "".
func factOf(model any, name string) string {
	_, facts, _ := Of(model) // none in a section that cannot be read
	return Value(facts, name)
}

// Value returns the value of a name, or "".
func Value(settings []param.Setting, name string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// CountFeatures returns the number of features of a model as people count them: without columns of a table
// that are query ids or are ignored, and without column 0 of LETOR text that numbers features from 1. A model
// does not tell whether it was trained on LETOR text: column 0 counts unless it has no name and was constant.
func CountFeatures(m *tree.Ensemble) int {
	n := len(m.Features) - len(Absent(m))
	if n > 1 && m.Features[0].Name == wording.ColumnNames(1)[0] && m.Features[0].Range == "none" &&
		NumberingOf(m) == dataset.Unnumbered {
		n--
	}
	return n
}
