package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// groupEdit is the heading of the parameters that change a model.
const groupEdit = "Editing models"

// edit describes changes to a model, in the order in which they are made.
type edit struct {
	cli.Part
	Drop    string   // numbers of trees, and ranges of them
	Scale   float64  // factor on the scores
	Join    []string // files of models whose trees are appended
	Shuffle bool
	Seed    uint64
}

// Table returns the parameters, bound to e.
func (e *edit) Table() param.Table {
	return append(e.Part.Table(),
		param.Parameter{Name: "drop_trees", Group: groupEdit,
			Help: "Trees to leave out, counted from 0 after start_iteration_predict: numbers and ranges, such as " +
				"3,7-9.",
			Value: bind.Text(&e.Drop)},
		param.Parameter{Name: "scale", Group: groupEdit,
			Help:  "Factor on all leaf values.",
			Value: bind.Float(&e.Scale)},
		param.Parameter{Name: "join", Group: groupEdit, File: param.Read,
			Help: "Models whose trees follow those of the first: scores are sums, or averages of all trees if all " +
				"models are averages. Separated by commas, or given several times.",
			Value: bind.Texts(&e.Join), Repeat: true},
		param.Parameter{Name: "shuffle_trees", Group: groupEdit,
			Help:  "Put the trees in random order, so that the first n are a fair sample of all.",
			Value: bind.Bool(&e.Shuffle)},
		param.Parameter{Name: "shuffle_seed", Group: groupEdit,
			Help:  "Decides the order of shuffle_trees.",
			Value: bind.Uint64(&e.Seed)},
	)
}

// given returns the name of a parameter that asks for a change, or "".
func (e *edit) given() string {
	return cmp.Or(e.Given(), cli.When(e.Drop != "", "drop_trees"), cli.When(e.Scale != 1, "scale"),
		cli.When(len(e.Join) > 0, "join"), cli.When(e.Shuffle, "shuffle_trees"))
}

// apply returns the changed model.
func (e *edit) apply(m *tree.Ensemble, messages *cli.Console) (*tree.Ensemble, error) {
	if e.given() == "" {
		return m, nil
	}
	m, err := e.reduced(m)
	if err == nil {
		m, err = e.joined(m, messages)
	}
	if err != nil {
		return nil, err
	}
	if e.Shuffle {
		m = m.Shuffled(e.Seed)
	}
	edited := *m
	edited.Parameters = provenance.Edited(m.Parameters, "model")
	return &edited, nil
}

// reduced returns the selected part of the model, without dropped trees and with scaled values.
func (e *edit) reduced(m *tree.Ensemble) (*tree.Ensemble, error) {
	m, err := e.Trees(m)
	if err != nil {
		return nil, err
	}
	if e.Drop != "" {
		numbers, err := treeNumbers(e.Drop, len(m.Trees))
		if err != nil {
			return nil, err
		}
		if m, err = m.Without(numbers...); err != nil {
			return nil, fmt.Errorf("drop_trees=%s: %w", e.Drop, err)
		}
	}
	if e.Scale == 1 {
		return m, nil
	}
	if m, err = m.Scaled(e.Scale); err != nil {
		return nil, fmt.Errorf("scale=%w", err)
	}
	return m, nil
}

// joined returns the model with the trees of the others.
func (e *edit) joined(m *tree.Ensemble, messages *cli.Console) (*tree.Ensemble, error) {
	models := []*tree.Ensemble{m}
	for _, path := range e.Join {
		more, _, err := cli.ReadModel(path, messages)
		if err != nil {
			return nil, err
		}
		trees, ok := more.(*tree.Ensemble)
		if !ok {
			return nil, cli.Usagef("join=%s: a network has no trees", path)
		}
		models = append(models, trees)
	}
	m, err := tree.Join(models...)
	if err != nil {
		return nil, fmt.Errorf("join=%s: %w", strings.Join(e.Join, ","), err)
	}
	return m, nil
}

// treeNumbers returns the numbers in a list such as 3,7-9. Each must be below n.
func treeNumbers(list string, n int) ([]int, error) {
	var numbers []int
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		first, last, ok := byfeature.ParseRange(word)
		if !ok {
			return nil, cli.Usagef("drop_trees=%s: %q is not a number or a range such as 7-9", list, word)
		}
		if last >= n {
			return nil, fmt.Errorf("drop_trees=%s: %q: the model has %s, numbered from 0", list, word,
				wording.Count(n, "tree"))
		}
		for number := first; number <= last; number++ {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
