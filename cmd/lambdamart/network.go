package main

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Trees and networks are trained by one command and share some parameters. The table of a command has
// each parameter once; a shared one is bound to the parameters of trees. If a network is to be
// trained, the user's settings are applied again, to the parameters of networks.

// isNetwork reports whether a network is to be trained.
func (o *options) isNetwork() bool { return o.ranker != experiment.KindLambdaMART }

// learner is what train trains: trees or a network.
type learner struct {
	params interface {
		Validate() error
		Cautions() []string
	}
	shared *training.Params // the part of params that trees and networks have in common
	rounds int              // largest number of rounds
	unit   string           // the word for rounds
}

// learner returns what is to be trained.
func (o *options) learner() learner {
	if o.isNetwork() {
		return learner{&o.network, &o.network.Params, o.network.Epochs, "epochs"}
	}
	return learner{&o.train, &o.train.Params, o.train.NumIterations, "iterations"}
}

// stopRule describes when training ends.
func (l learner) stopRule() string {
	p := l.shared
	if p.Patience == 0 {
		return fmt.Sprintf("after %d %s", l.rounds, l.unit)
	}
	set := p.StopSet
	if set == "" {
		set = data.ValidationSet(0)
	}
	return fmt.Sprintf("when %s on %s has not risen by more than %v for %d %s, at most after %d", p.StopRule(), set, p.MinDelta, p.Patience, l.unit, l.rounds)
}

// networkTable returns the parameters of networks except ranker, which belongs to commands.
func networkTable(p *nnbaseline.Params) param.Table {
	return slices.DeleteFunc(p.Table(), func(p param.Parameter) bool { return p.Name == "ranker" })
}

// trainingTable returns the parameters of trees, and those that only networks have.
func (o *options) trainingTable() param.Table {
	t := o.train.Table()
	for _, p := range networkTable(&o.network) {
		own := t.Find(p.Name)
		if own == nil {
			t = append(t, p)
			continue
		}
		own.Aliases = p.Aliases // those of trees, and perhaps more
		if mine, theirs := p.Value.String(), own.Value.String(); mine != theirs {
			own.Help += " Networks begin with " + mine + "."
		}
	}
	return t
}

// trainingNames returns the names of all parameters of training.
func (o *options) trainingNames() []string {
	names := []string{"ranker"}
	for _, p := range o.trainingTable() {
		names = append(names, p.Name)
	}
	return names
}

// chooseRanker applies the user's settings to the parameters of networks if a network is to be
// trained. It refuses parameters of trees for a network, and of networks for trees.
func (o *options) chooseRanker(t param.Table) error {
	trees, networks := o.train.Table(), networkTable(&o.network)
	var layers [2][]param.Setting
	for i, layer := range o.layers {
		for _, s := range layer {
			p := t.Find(s.Name)
			if p == nil || p.Inert {
				continue
			}
			ofTrees, ofNetworks := trees.Find(p.Name) != nil, networks.Find(p.Name) != nil
			switch {
			case o.isNetwork() && ofTrees && !ofNetworks:
				return usagef("%v: a parameter of trees, but ranker=%s is a network%s", s, o.ranker, insteadOf(p.Name))
			case !o.isNetwork() && ofNetworks && !ofTrees:
				return usagef("%v: a parameter of networks, but ranker=%s is trees; choose a network, as in ranker=%s", s, o.ranker, nnbaseline.RankNet)
			case ofNetworks:
				layers[i] = append(layers[i], s)
			}
		}
	}
	if !o.isNetwork() {
		return nil
	}
	o.network.Ranker = o.ranker
	if _, err := networks.Apply(layers[:]...); err != nil {
		return &usageError{err}
	}
	return nil
}

// insteadOf returns a hint at the parameter of networks that corresponds to one of trees.
func insteadOf(name string) string {
	if name == "num_iterations" {
		return "; say epochs="
	}
	return ""
}
