package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// readConfig reads a configuration file of key = value lines, or the parameters in a model.
func readConfig(path string) (settings []param.Setting, err error) {
	if isYAML(path) {
		return nil, Usagef("config=%s: %s", path, gone.Why(gone.File, gone.YAML))
	}
	text, err := stream.Read(path, func(r io.Reader, _ string) ([]byte, error) { return io.ReadAll(r) })
	if err != nil {
		return nil, Usagef("config: %w", err)
	}
	if first, _, _ := bytes.Cut(text, []byte("\n")); string(bytes.TrimSpace(first)) == "tree" ||
		nnbaseline.IsModel(text) { // formats that include parameters
		settings, err = settingsOfModel(path)
	} else {
		settings, err = param.ReadConfig(bytes.NewReader(text), path)
	}
	return settings, Usage(err)
}

// isYAML reports whether a file is YAML by its name, or an experiment by its beginning.
func isYAML(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml") ||
		strings.Contains("\n"+stream.Beginning(path, 1<<12), "\nrankers:")
}

// settingsOfModel returns the parameters that a model was trained with.
func settingsOfModel(path string) ([]param.Setting, error) {
	m, err := lambdamart.ReadModel(path)
	if err != nil {
		return nil, err
	}
	parameters, facts, err := provenanceOf(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if by := provenance.Value(facts, provenance.MadeBy); by != "" && by != provenance.Train {
		return nil, fmt.Errorf("config=%s: the model was made by %s, so that its parameters do not make it again",
			path, by)
	}
	if provenance.Value(facts, provenance.TreesBefore) != "" {
		parameters = append(parameters, param.Setting{Name: "input_model", Value: provenance.ContentPrefix})
	}
	if len(parameters) == 0 {
		return nil, fmt.Errorf("config=%s: the model does not list its parameters", path)
	}
	for i := range parameters {
		parameters[i].Place = path
	}
	return parameters, nil
}

// provenanceOf returns what a model records about its training run.
func provenanceOf(m lambdamart.Model) (parameters, facts []param.Setting, err error) {
	parameters, facts, err = provenance.Of(m)
	if facts == nil { // in a model of LightGBM, an empty value means the default
		parameters = slices.DeleteFunc(parameters, func(s param.Setting) bool { return s.Value == "" })
	}
	return parameters, facts, err
}

// OfTraining returns a remark if data may be that on which a model was trained, since it has as many rows and
// queries, or "". A model does not tell more of its data, apart from a hash of the bins. then is what follows
// if it is that data.
func OfTraining(m lambdamart.Model, rows, queries int, then string) string {
	_, facts, _ := provenanceOf(m) // none in a model of another program
	if provenance.Value(facts, provenance.MadeBy) == "" ||
		provenance.Value(facts, provenance.Rows) != strconv.Itoa(rows) ||
		queries != rows && provenance.Value(facts, provenance.Queries) != strconv.Itoa(queries) {
		return ""
	}
	return fmt.Sprintf("the data has as many rows as the model's training data, %s: if it is that data, %s",
		wording.Thousands(rows), then)
}

// TrainedOn returns the labels that a model was trained on, "" for the first; nil if the model does not say.
func TrainedOn(m lambdamart.Model) []string {
	parameters, _, _ := provenanceOf(m) // empty for a model of another program
	return objective.Labels(provenance.Value(parameters, "objective"))
}

// OtherLabel returns a warning if a model was trained on labels with names but not on that of the event, by
// which its probabilities are what done says; otherwise "". first is the first label of the data.
func OtherLabel(m lambdamart.Model, of tree.Event, first, done string) string {
	label, trained := cmp.Or(of.Label, first), TrainedOn(m)
	if len(trained) == 0 || slices.Contains(trained, "") || slices.Contains(trained, label) {
		return ""
	}
	return fmt.Sprintf("the probabilities are %s the label %s, and the model was trained on %s; "+
		"calibration_label=%s>=%v chooses another event", done, label, strings.Join(trained, ", "), trained[0],
		of.Grade)
}

// checkContents returns an error for parameters whose values the model's run read from files, unless the
// command line names the files, because a model does not record their paths.
func checkContents(table param.Table, config, line []param.Setting) error {
	for _, s := range config {
		if strings.HasPrefix(s.Value, provenance.ContentPrefix) && valueOf(table, line, s.Name) == "" &&
			gone.Why(gone.Parameter, s.Name) == "" { // what is gone is refused as in a configuration file
			return Usagef("%s: the run of this model used a file for %s, and models do not say where it is: give "+
				"%[2]s=FILE", s.Place, s.Name)
		}
	}
	return nil
}

// valueOf returns the last value of a parameter in settings, or "".
func valueOf(table param.Table, settings []param.Setting, name string) string {
	value := ""
	for _, s := range settings {
		if p := table.Find(s.Name); p != nil && p.Name == name {
			value = s.Value
		}
	}
	return value
}
