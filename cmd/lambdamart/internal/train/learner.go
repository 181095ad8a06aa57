package train

import (
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
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
	Learners interface {
		Validate() error
		Cautions() []string
	}
	Shared *training.Params // the part of Learners that trees and networks have in common
	Rounds int              // largest number of rounds
	Unit   string           // the word for rounds
	Early  bool             // training may end early
	Models int              // of an ensemble; 1 for a single model
}

// Learner returns what is to be trained.
func (p *Learners) Learner() Learner {
	if p.IsNetwork() {
		return Learner{&p.Networks, &p.Networks.Params, p.Networks.Epochs, "epochs", p.Networks.Patience > 0, 1}
	}
	return Learner{&p.Trees, &p.Trees.Params, p.Trees.NumIterations, "iterations", p.Trees.StopsEarly(),
		p.Trees.NumModels}
}

// StopRule describes when training ends.
func (l Learner) StopRule() string {
	p := l.Shared
	if !l.Early {
		return fmt.Sprintf("after %d %s%s", l.Rounds, l.Unit, l.ofEach())
	}
	set := p.StopSet
	if set == "" {
		set = data.ValidationSet(0)
	}
	if p.AnyMetricStops {
		return l.whenNotRisen("any metric on any validation set")
	}
	return l.whenNotRisen(p.StopRule() + " on " + set)
}

// whenNotRisen describes the end of training by early stopping on a value.
func (l Learner) whenNotRisen(value string) string {
	least := ""
	if l.Shared.MinDelta > 0 {
		least = fmt.Sprintf(" by more than %v", l.Shared.MinDelta)
	}
	change := "risen"
	if metric.OfDocuments(l.Shared.StopRule()) {
		change = "fallen"
	}
	return fmt.Sprintf("when %s has not %s%s for %d %s, at most after %d%s", value, change, least,
		l.Shared.Patience,
		l.Unit, l.Rounds, l.ofEach())
}

// ofEach returns the text that iterations are counted for each model of an ensemble, or "" for a single
// model.
func (l Learner) ofEach() string {
	if l.Models > 1 {
		return fmt.Sprintf(", each of the %d models", l.Models)
	}
	return ""
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
			insteadOf(row.Name))
	case !p.IsNetwork() && ofNetworks && !ofTrees:
		return false, cli.Usagef("%v: a parameter of networks, but ranker=%s is trees; choose a network, as in "+
			"ranker=%s", s, p.Ranker, nnbaseline.RankNet)
	}
	return ofNetworks, nil
}

// insteadOf returns a hint about what networks have instead of a parameter of trees.
func insteadOf(name string) string {
	switch name {
	case "num_iterations":
		return "; set epochs="
	case "query_context", "query_context_features":
		return "; write data with these columns by lambdamart transform, and train on that"
	}
	return ""
}

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
