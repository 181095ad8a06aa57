package train

import (
	"cmp"
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

// Learners holds the parameters of trees and of networks.
type Learners struct {
	Ranker   string // what is trained: trees, or the loss of a network
	Trees    booster.Params
	Networks nnbaseline.Params
}

// DefaultLearners returns the defaults, for boosted trees.
func DefaultLearners() Learners {
	return Learners{Ranker: study.KindLambdaMART, Trees: booster.DefaultParams(),
		Networks: nnbaseline.DefaultParams()}
}

// RankerRow is the row of the parameter that selects what is trained.
func (p *Learners) RankerRow() param.Parameter {
	return param.Parameter{Name: "ranker", Group: cli.GroupFiles,
		Help: "What train trains: boosted trees (lambdamart), or a network whose loss is pairs of documents " +
			"(ranknet), pairs weighted by the change of nDCG (lambdarank-mlp), the top-one softmax by cross " +
			"entropy or divergence (listnet, listnet-kl), the likelihood of the ideal order (listmle), or squared " +
			"errors of grades (mse).",
		Value: bind.Choice(&p.Ranker, append([]string{study.KindLambdaMART}, nnbaseline.Rankers()...)...)}
}

// Table returns the parameters of trees, followed by those that only networks have.
func (p *Learners) Table() param.Table {
	t := p.Trees.Table()
	for _, row := range p.NetworkTable() {
		own := t.Find(row.Name)
		if own == nil {
			t = append(t, row)
			continue
		}
		own.Aliases = row.Aliases // those of trees, possibly with more
		if networks, trees := row.Value.String(), own.Value.String(); networks != trees {
			own.Help += " Networks begin with " + networks + "."
		}
	}
	return t
}

// NetworkTable returns the parameters of networks except ranker, which has a row of its own.
func (p *Learners) NetworkTable() param.Table { return cli.Without(p.Networks.Table(), "ranker") }

// IsNetwork reports whether a network is to be trained.
func (p *Learners) IsNetwork() bool { return p.Ranker != study.KindLambdaMART }

// Learner describes what is trained: trees or a network.
type Learner struct {
	Shared *training.Params // the parameters that trees and networks have in common
	Rounds int              // largest number of rounds
	Unit   string           // the word for rounds
	Early  bool             // training may end early
	Models int              // of an ensemble; 1 for a single model
}

// Learner returns what is to be trained.
func (p *Learners) Learner() Learner {
	if p.IsNetwork() {
		return Learner{&p.Networks.Params, p.Networks.Epochs, "epochs", p.Networks.Patience > 0, 1}
	}
	return Learner{&p.Trees.Params, p.Trees.NumIterations, "iterations", p.Trees.StopsEarly(), p.Trees.NumModels}
}

// StopRule describes when training ends.
func (l Learner) StopRule() string {
	p, rule, ofEach := l.Shared, rounds.StopRule(l.Shared), ""
	if l.Models > 1 {
		ofEach = fmt.Sprintf(", each of the %d models", l.Models)
	}
	if !l.Early {
		return fmt.Sprintf("after %d %s%s", l.Rounds, l.Unit, ofEach)
	}
	value, change := rule+" on "+cmp.Or(p.StopSet, data.ValidationSet(0)), "risen"
	if p.AnyMetricStops {
		value = "any metric on any validation set"
	}
	if _, _, is := metric.OfDocuments(rule); is {
		change = "fallen"
	}
	if p.MinDelta > 0 {
		change += fmt.Sprintf(" by more than %v", p.MinDelta)
	}
	return fmt.Sprintf("when %s has not %s for %d %s, at most after %d%s", value, change, p.Patience, l.Unit,
		l.Rounds, ofEach)
}

// Choose applies the user's settings to the parameters of networks if a network is to be trained. Parameters
// of trees are errors for a network, and parameters of networks are errors for trees.
func (p *Learners) Choose(env *cli.Env) error {
	var layers [2][]param.Setting
	for i, layer := range [2][]param.Setting{env.Config, env.Line} {
		for _, s := range layer {
			shared, err := p.shares(env.Table.Find(s.Name), s)
			if err != nil {
				return err
			}
			if shared {
				layers[i] = append(layers[i], s)
			}
		}
	}
	if !p.IsNetwork() {
		return nil
	}
	p.Networks.Ranker = p.Ranker
	if _, err := p.NetworkTable().Apply(layers[:]...); err != nil {
		return &cli.UsageError{Err: err}
	}
	return nil
}

// shares reports whether networks have a parameter that was set. It returns an error if only the kind that is
// not trained has the parameter.
func (p *Learners) shares(row *param.Parameter, s param.Setting) (bool, error) {
	if row == nil || row.Inert {
		return false, nil
	}
	if row.Name == presetName { // both have it; CheckPreset has checked the value
		return p.IsNetwork(), nil
	}
	ofTrees, ofNetworks := p.Trees.Table().Find(row.Name) != nil, p.NetworkTable().Find(row.Name) != nil
	switch {
	case p.IsNetwork() && ofTrees && !ofNetworks:
		return false, cli.Usagef("%v: a parameter of trees, but ranker=%s is a network%s", s, p.Ranker,
			insteadOf[row.Name])
	case !p.IsNetwork() && ofNetworks && !ofTrees:
		return false, cli.Usagef("%v: a parameter of networks, but ranker=%s is trees; choose a network, as in "+
			"ranker=%s", s, p.Ranker, nnbaseline.RankNet)
	}
	return ofNetworks, nil
}

const transformed = "; write data with these columns by lambdamart transform, and train on that"

// insteadOf are hints about what networks have instead of parameters of trees.
var insteadOf = map[string]string{"num_iterations": "; set epochs=", "query_context": transformed,
	"query_context_features": transformed}

// Changed lists the parameters of t whose values differ from those in defaults, as name=value.
func Changed(t, defaults param.Table) []string {
	list := []string{}
	for _, p := range defaults {
		if value := t.Find(p.Name).Value.String(); value != p.Value.String() {
			list = append(list, p.Name+"="+value)
		}
	}
	return list
}

// ChangedOfTrees lists the parameters of trees that differ from their defaults.
func ChangedOfTrees(p *booster.Params) []string {
	defaults := booster.DefaultParams()
	return Changed(p.Table(), defaults.Table())
}

// changed lists the parameters of what is trained that differ from their defaults.
func (p *Learners) changed() []string {
	if defaults := DefaultLearners(); p.IsNetwork() {
		return Changed(p.NetworkTable(), defaults.NetworkTable())
	}
	return ChangedOfTrees(&p.Trees)
}
