package learner

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/preset"
	"github.com/lambdamart/lambdamart/training"
)

// presetName is the name of the parameter.
const presetName = "preset"

// PresetRow is the row of the parameter that lets parameters of trees be chosen by the size of the data.
func PresetRow(dst *string) param.Parameter {
	return param.Parameter{Name: presetName, Group: training.GroupTraining,
		Help:  "auto: parameters of trees that are not given are chosen by the size of the data (docs/presets.md), for good models without tuning. none: LightGBM's defaults.",
		Value: param.Choice(dst, preset.None, preset.Auto)}
}

// PresetOfBoth is the row for trees and networks: presets of trees, and those of networks, which set the sizes of
// their layers.
func PresetOfBoth(dst *string) param.Parameter {
	row := PresetRow(dst)
	names := []string{preset.None, preset.Auto}
	for _, network := range nnbaseline.Presets() {
		names = append(names, network.Name)
	}
	row.Aliases = []string{"network"}
	row.Help += " Of networks, the others set hidden_layers and dropout at once; each may still be set apart."
	row.Value = param.Choice(dst, names...)
	return row
}

// CheckPreset returns an error for a preset of trees for a network, and of networks for trees.
func (p *Params) CheckPreset(name string, given bool) error {
	ofTrees := name == preset.None || name == preset.Auto
	switch {
	case p.IsNetwork() && given && ofTrees:
		return cli.Usagef("preset=%s is for trees, but ranker=%s is a network; leave it out, or name one of a network", name, p.Ranker)
	case !p.IsNetwork() && !ofTrees:
		return cli.Usagef("preset=%s is for networks, but ranker=%s is trees; there are none and auto", name, p.Ranker)
	}
	return nil
}

// ApplyPreset sets the parameters that a preset chooses, except those that the user has given, and shows them.
// hasValid says that there is a validation set, and check is that of the parameters for the training.
func ApplyPreset(
	name string, p *booster.Params, m *dataset.Meta, hasValid bool, given []string, check func() error, log Log,
) error {
	if name != preset.Auto {
		return nil
	}
	chosen, err := preset.Apply(p, m, hasValid && p.StopRule() != "", given...)
	if err == nil {
		err = check()
	}
	if err != nil {
		return &cli.UsageError{Err: fmt.Errorf("preset=%s: %w", name, err)}
	}
	log.Emit(presetEvent{Preset: name, Chosen: settingsOf(chosen)})
	return nil
}

// settingsOf returns what was chosen as a command line has it.
func settingsOf(chosen []preset.Choice) []string {
	list := []string{}
	for _, c := range chosen {
		list = append(list, c.Name+"="+c.Value)
	}
	return list
}

// presetEvent lists the parameters that a preset chose.
type presetEvent struct {
	Preset string   `json:"preset"`
	Chosen []string `json:"chosen"`
}

func (e presetEvent) Kind() string { return "preset" }
func (e presetEvent) Level() int   { return 1 }
func (e presetEvent) String() string {
	return "preset " + e.Preset + ": " + strings.Join(e.Chosen, " ")
}
