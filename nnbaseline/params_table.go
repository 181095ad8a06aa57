package nnbaseline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// Headings of the parameters' documentation.
const (
	groupTraining = "Networks: training"
	groupNetwork  = "Networks: layers"
	groupSteps    = "Networks: steps"
	groupLoss     = "Networks: loss"
)

// Table returns the parameters, bound to the fields of p: their names on the command line and in
// configuration files, aliases, bounds and help. Parameters that trees have too have the same names.
func (p *Params) Table() param.Table {
	shared := rounds.Table(&p.Params, rounds.Words{
		Rounds: "epochs", Draws: "first weights, order of queries, dropout, pairs", Best: "gets the best one's " +
			"weights",
	})
	return slices.Concat(
		p.trainingTable(),
		p.networkTable(),
		p.stepsTable(),
		p.ownTable(), shared.In(rounds.GroupTraining),
		p.lambdaRankTable(),
		shared.In(rounds.GroupEvaluation),
		shared.In(rounds.GroupStopping),
	)
}

func (p *Params) trainingTable() param.Table {
	return param.Table{
		{Name: "ranker", Group: groupTraining,
			Help: "The network's loss: pairs of documents (ranknet), pairs weighted by the change of nDCG " +
				"(lambdarank-mlp), the top-one softmax by cross entropy or divergence (listnet, listnet-kl), the " +
				"likelihood of the ideal order (listmle), or squared errors of grades (mse).",
			Value: bind.Choice(&p.Ranker, Rankers()...)},
		{Name: "epochs", Aliases: []string{"num_epochs", "max_epochs"}, Group: groupTraining,
			Help:  "Passes over the training data; early stopping may keep an earlier one's weights.",
			Value: bind.Int(&p.Epochs, bind.AtLeast(1))},
		{Name: "batch_queries", Aliases: []string{"batch_size"}, Group: groupTraining,
			Help:  "Queries of a step. Their documents are one matrix, without padding.",
			Value: bind.Int(&p.BatchQueries, bind.AtLeast(1))},
	}
}

func (p *Params) networkTable() param.Table {
	return param.Table{
		{Name: "preset", Aliases: []string{"network"}, Group: groupNetwork, SameModel: true,
			Help:  "Sets hidden_layers and dropout at once; each can still be set separately.",
			Value: presetValue{p}},
		{Name: "hidden_layers", Aliases: []string{"hidden_layer_sizes", "hidden"}, Group: groupNetwork,
			Help: "Units of the hidden layers, beginning with the one next to the features. Empty is " +
				"a linear model.",
			Value: bind.Checked(bind.Ints(&p.HiddenLayers, bind.AtLeast(1), bind.AtMost(maxUnits)),
				fmt.Sprintf("1 to %d each", maxUnits), p.checkDepth)},
		{Name: "dropout", Group: groupNetwork,
			Help:  "Share of the hidden units that are dropped for a document in training.",
			Value: bind.Float(&p.Dropout, bind.AtLeast(0), bind.AtMost(0.95))},
		{Name: "normalization", Aliases: []string{"norm"}, Group: groupNetwork,
			Help: "Normalization of a hidden layer's sums: over the documents of a step (batch), over" +
				" the units of a document (layer), or none.",
			Value: bind.Choice(&p.Normalization, NoNormalization, BatchNorm, LayerNorm)},
		{Name: "nan", Aliases: []string{"nan_features"}, Group: groupNetwork,
			Help:  "A feature value that is NaN is an error, or counts as the feature's mean over the training rows.",
			Value: bind.Choice(&p.NaN, RefuseNaN, MeanForNaN)},
	}
}

func (p *Params) checkDepth() error {
	if len(p.HiddenLayers) > maxHidden {
		return fmt.Errorf("at most %d layers", maxHidden)
	}
	return nil
}

func (p *Params) stepsTable() param.Table {
	return param.Table{
		{Name: "optimizer", Group: groupSteps,
			Help:  "adam, or adamw, whose weight decay is not part of the gradient.",
			Value: bind.Choice(&p.Optimizer, Adam, AdamW)},
		{Name: "weight_decay", Group: groupSteps,
			Help: "Decay of all weights toward 0: part of the gradient with adam, part of the step " +
				"with adamw.",
			Value: bind.Float(&p.WeightDecay, bind.AtLeast(0))},
		{Name: "gradient_clip", Aliases: []string{"clip_norm", "max_grad_norm"}, Group: groupSteps,
			Help:  "Largest Euclidean norm of the gradient over all weights; a longer one is shortened. 0: no limit.",
			Value: bind.Float(&p.GradientClip, bind.AtLeast(0))},
		{Name: "schedule", Aliases: []string{"lr_schedule", "lr_scheduler"}, Group: groupSteps,
			Help: "How the learning rate falls: never (constant), along half a cosine to 0 over all epochs " +
				"(cosine), by schedule_factor every schedule_epochs (step), or when the stop metric has not risen for " +
				"schedule_epochs (plateau).",
			Value: bind.Choice(&p.Schedule, Constant, Cosine, Step, Plateau)},
		{Name: "schedule_factor", Aliases: []string{"lr_factor", "lr_gamma"}, Group: groupSteps,
			Help:  "Factor by which the schedules step and plateau multiply the learning rate.",
			Value: bind.Float(&p.ScheduleFactor, bind.Positive(), bind.AtMost(1))},
		{Name: "schedule_epochs", Aliases: []string{"lr_epochs", "lr_step_size"}, Group: groupSteps,
			Help:  "Epochs between the steps of schedule step, or without a rise before one of plateau.",
			Value: bind.Int(&p.ScheduleEpochs, bind.AtLeast(1))},
	}
}

// ownTable returns the rows of the pairs, and of the learning rate under the names that it has for trees.
func (p *Params) ownTable() param.Table {
	return param.Table{
		{Name: "ranknet_pairs", Group: groupLoss,
			Help:  "Pairs of documents that ranknet draws for each query, or all.",
			Value: pairsValue{&p.Pairs}},
		{Name: "learning_rate", Aliases: []string{"shrinkage_rate", "eta", "lr"}, Group: groupSteps,
			Help:  "Size of a step, in the first epoch.",
			Value: bind.Float(&p.LearningRate, bind.Positive())},
	}
}

// lambdaRankTable returns the parameters that the losses share with the objectives of trees, with the same
// names and help.
func (p *Params) lambdaRankTable() param.Table {
	objectives := objective.Table(new(objective.AllParams))
	own := param.Table{
		{Name: "sigmoid", Value: bind.Float(&p.Sigmoid, bind.Positive())},
		{Name: "lambdarank_truncation_level", Value: bind.Int(&p.LambdarankTruncationLevel, bind.AtLeast(1))},
		{Name: "label_gain", Value: metric.GainValue(&p.LabelGain)},
	}
	for i := range own {
		entry := *objectives.Find(own[i].Name)
		entry.Value = own[i].Value
		own[i] = entry
	}
	return own
}

// presetValue is a [param.Value] that sets the layers and the dropout of a preset by its name.
type presetValue struct{ p *Params }

func (v presetValue) Set(name string) error {
	if name == v.String() {
		return nil
	}
	for _, preset := range presets() {
		if preset.Name == name {
			v.p.HiddenLayers, v.p.Dropout = preset.HiddenLayers, preset.Dropout
			return nil
		}
	}
	return fmt.Errorf("must be one of %s", v.Range())
}

// String returns the name of the preset that has the current layers and dropout, or "" if there is none.
func (v presetValue) String() string {
	for _, preset := range presets() {
		if preset.Dropout == v.p.Dropout && slices.Equal(preset.HiddenLayers, v.p.HiddenLayers) {
			return preset.Name
		}
	}
	return ""
}

func (v presetValue) Check() error { return nil }
func (v presetValue) Type() string { return "name" }

func (v presetValue) Range() string { return strings.Join(Presets(), ", ") }

// Presets returns the values of the parameter preset, which are names of networks.
func Presets() (names []string) {
	for _, preset := range presets() {
		names = append(names, preset.Name)
	}
	return names
}

// pairsValue is a [param.Value] for a number of pairs. Its text "all" is 0.
type pairsValue struct{ dst *int }

func (v pairsValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case text == "all":
		n = 0
	case err != nil || n < 1:
		return errors.New("must be all, or a whole number above 0")
	}
	*v.dst = n
	return nil
}

func (v pairsValue) String() string {
	if *v.dst == 0 {
		return "all"
	}
	return strconv.Itoa(*v.dst)
}

func (v pairsValue) Check() error {
	if *v.dst < 0 {
		return errors.New("must be 0, for all, or more")
	}
	return nil
}

func (v pairsValue) Type() string  { return "number" }
func (v pairsValue) Range() string { return "all, or >= 1" }
