package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// presetName is the name of the parameter.
const presetName = "preset"

// PresetsOfTrees are the values of the parameter for trees.
var PresetsOfTrees = []string{study.PresetNone, study.PresetAuto, study.PresetBest, study.PresetFast}

// PresetRow is the row of the parameter that makes the size of the data determine parameters of trees.
func PresetRow(dst *string) param.Parameter {
	return param.Parameter{Name: presetName, Group: rounds.GroupTraining,
		Help: "auto: parameters of trees that are not given are chosen by the size of the data " +
			"(docs/settings.md), for good models without tuning. best: four times as many models with " +
			"query_context=rank,zscore, in about twelve times the time. To score with such a model, predict, eval, " +
			"serve, Go and Python need whole queries (in Python qid or group); export has them for go, c, java, and " +
			"onnx with number_type=float64, and refuses the other targets; query_context= leaves it out. fast: few " +
			"symmetric trees with large steps, the shortest time to the quality of the defaults on large data; on " +
			"smooth data above 40,000 rows it may cost .003 of nDCG, which active_fraction=1 avoids. none: " +
			"LightGBM's defaults.",
		Value: bind.Choice(dst, PresetsOfTrees...)}
}

// PresetOfBoth is the row for trees and networks. Presets of networks set the sizes of their layers.
func PresetOfBoth(dst *string) param.Parameter {
	row := PresetRow(dst)
	row.Aliases = []string{"network"}
	row.Help += " For networks, the other values set hidden_layers and dropout at once; each can still be set " +
		"separately."
	row.Value = bind.Choice(dst, slices.Concat(PresetsOfTrees, nnbaseline.Presets())...)
	return row
}

// CheckPreset returns an error for a preset of trees with a network, or of networks with trees.
func (p *Learners) CheckPreset(name string, given bool) error {
	ofTrees := slices.Contains(PresetsOfTrees, name)
	switch {
	case p.IsNetwork() && given && ofTrees:
		return cli.Usagef("preset=%s is for trees, but ranker=%s is a network; leave it out, or name one of a "+
			"network", name, p.Ranker)
	case !p.IsNetwork() && !ofTrees:
		return cli.Usagef("preset=%s is for networks, but ranker=%s is trees; there are none, auto, best and fast",
			name, p.Ranker)
	}
	return nil
}

// Preset chooses the parameters of trees that the user has not set.
type Preset struct {
	Name  string
	Given []string // names of the parameters that the user set
	Log   *cli.Console
}

// Before sets and shows the parameters that the preset chooses before data is read, and returns their names.
func (c Preset) Before(p *booster.Params) (names []string) {
	chosen := study.PresetBefore(c.Name, p, c.Given...)
	if chosen != nil {
		c.show(chosen)
	}
	for _, one := range chosen {
		names = append(names, one.Name)
	}
	return names
}

// Refused adds the name of the preset to an error of reading data that concerns query context which the
// preset has chosen.
func (c Preset) Refused(err error) error {
	if err == nil || c.Name != study.PresetBest || !strings.Contains(err.Error(), "query_context") {
		return err
	}
	return fmt.Errorf("preset=%s: %w; query_context= leaves query context out of preset=%[1]s", c.Name, err)
}

// remarkOnOneModel says why a preset that averages models trains one.
func (c Preset) remarkOnOneModel(p *booster.Params, m *dataset.Meta) {
	if c.Name != study.PresetAuto && c.Name != study.PresetBest {
		return
	}
	if why := study.OneModel(p, m, c.Given...); why != "" {
		c.Log.Note("preset=" + c.Name + " trains one model, not the mean of several losses: " + why)
	}
}

// Apply sets and shows the parameters that the preset chooses for the data. hasValid reports that there is a
// validation set, and check validates the parameters for training. If the user has set neither a preset nor
// parameters of trees, it reports what a preset would choose.
func (c Preset) Apply(p *booster.Params, m *dataset.Meta, hasValid bool, check func() error) error {
	if c.Name == study.PresetNone && c.chooses() {
		return nil
	}
	q, name := *p, c.Name
	if name == study.PresetNone {
		name = study.PresetAuto
	}
	chosen, err := study.ApplyPreset(name, &q, m, hasValid && rounds.StopRule(&p.Params) != "", c.Given...)
	if c.Name == study.PresetNone {
		if err == nil && len(chosen) > 0 {
			list := settingsOf(chosen)
			c.Log.Say("defaults", "trees have LightGBM's defaults; preset=auto would be, for data of this size, "+
				strings.Join(list, " "), "auto", list)
		}
		return nil
	}
	if err == nil {
		*p = q
		err = check()
	}
	if err != nil {
		return &cli.UsageError{Err: fmt.Errorf("preset=%s: %w", c.Name, err)}
	}
	c.show(chosen)
	return nil
}

// chooses reports whether the user has set a preset, an initial model, or a parameter of trees.
func (c Preset) chooses() bool {
	return slices.ContainsFunc(c.Given, func(name string) bool {
		return name == presetName || name == "input_model" || booster.IsOfTrees(name)
	})
}

// settingsOf returns choices as written on a command line.
func settingsOf(chosen []param.Setting) []string {
	list := []string{}
	for _, s := range chosen {
		list = append(list, s.String())
	}
	return list
}

// show lists the parameters that the preset chose.
func (c Preset) show(chosen []param.Setting) {
	list := settingsOf(chosen)
	c.Log.Say("preset", "preset "+c.Name+": "+strings.Join(list, " "), "preset", c.Name, "chosen", list)
}
