package main

import (
	"slices"

	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
)

// Trees and networks are trained by one command, and have some parameters in common.
// In tables each parameter comes once: one that trees have is bound to theirs. Where a
// network is to be trained, what the user gave is read again, into the network's own
// parameters.

// isNetwork tells whether a network is to be trained.
func (o *options) isNetwork() bool { return o.ranker != experiment.KindLambdaMART }

// networkTable returns the parameters of networks but for ranker, which commands have.
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
		own.Aliases = p.Aliases // trees' and perhaps more
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

// chooseRanker puts what the user gave where it belongs, and refuses parameters of
// trees for a network and the reverse.
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

// insteadOf names the parameter of networks that is like one of trees.
func insteadOf(name string) string {
	if name == "num_iterations" {
		return "; say epochs="
	}
	return ""
}
