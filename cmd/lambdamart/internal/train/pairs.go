package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// pairsTable returns the rows of the files of pairs.
func (p *Params) pairsTable() param.Table {
	return param.Table{
		{Name: "pairs", Group: cli.GroupFiles, File: param.Read,
			Help: "Pairs of documents of the training data that objective=pairs learns: CSV or TSV with the columns " +
				"qid,better,worse for ids of documents (docid_column, or # docid = ID of LETOR text), or " +
				"qid,better_row,worse_row for their numbers in the query from 1, and perhaps weight.",
			Value: bind.Text(&p.Pairs)},
		{Name: "valid_pairs", Group: cli.GroupFiles, File: param.Read, Repeat: true,
			Help: "Pairs of documents of each validation set, in files as for pairs, by which metric=pair_agreement " +
				"judges: it can decide when training ends.",
			Value: bind.Texts(&p.ValidPairs)},
	}
}

// onlyPairs says what learns from pairs.
const onlyPairs = "only objective=pairs, or a sum such as objective=pairs:1,lambdarank:0.5, learns from them"

// noPairMetric says what judges by pairs.
const noPairMetric = "no metric judges by them; add metric=pair_agreement"

// learnsPairs reports whether the objective is pairs, or a sum with it.
func (r *run) learnsPairs() bool {
	return r.Caller.Objective == nil && objective.ReadsPairs(r.Trees.Objective)
}

// judgesPairs reports whether a metric is one of pairs.
func (r *run) judgesPairs() bool {
	metrics, _ := r.Trees.Metrics(r.Trees.LabelGain, r.Caller.Metrics...) // an error is reported by validate
	return slices.ContainsFunc(metrics, metric.ReadsPairs)
}

// usesTrainingPairs reports whether the objective or a metric reads pairs of the training data.
func (r *run) usesTrainingPairs() bool {
	return r.learnsPairs() || r.judgesPairs() && r.Trees.IsTrainingMetric
}

// checkPairs returns an error for files of pairs that would not be used, and for those that are missing.
func (r *run) checkPairs() error {
	switch {
	case r.Pairs == "" && r.learnsPairs() && !r.IsNetwork() && !arrays.Is(r.Data): // arrays may have pairs
		return cli.Usagef("objective=%s needs pairs of documents: give pairs=FILE", r.Trees.Objective)
	case r.Pairs == "" && len(r.ValidPairs) == 0:
		return nil
	case r.IsNetwork():
		return cli.Usagef("pairs: ranker=%s is a network; trees learn from pairs and are judged by them", r.Ranker)
	case r.Peers.Size() > 1:
		return cli.Usagef("pairs: one process reads them, and a launcher has started several")
	case r.Pairs != "" && !r.usesTrainingPairs():
		return cli.Usagef("pairs=%s: %s", r.Pairs, onlyPairs)
	case len(r.ValidPairs) > 0 && len(r.ValidPairs) != len(r.Valid):
		return cli.Usagef("valid_pairs has %s, and valid %d; give one of each set",
			wording.Count(len(r.ValidPairs), "file"), len(r.Valid))
	case len(r.ValidPairs) > 0 && !r.judgesPairs():
		return cli.Usagef("valid_pairs=%s: %s", strings.Join(r.ValidPairs, ","), noPairMetric)
	}
	return nil
}

// readPairs reads the files of pairs, whose documents are found once the data is there.
func (r *run) readPairs() error {
	if err := r.checkPairs(); err != nil {
		return err
	}
	set := data.TrainingSet
	for i, path := range append([]string{r.Pairs}, r.ValidPairs...) {
		var p *data.Pairs
		if path != "" {
			var err error
			if p, err = data.ReadPairs(path); err != nil {
				return err
			}
			if p.ByID {
				r.loading.Docs = append(r.loading.Docs, set)
			}
		}
		set = data.ValidationSet(i)
		r.pairs = append(r.pairs, p)
	}
	return nil
}

// addPairs gives the training data and the validation sets their pairs.
func (r *run) addPairs(all *data.Loaded) error {
	for i, s := range append([]*data.Set{all.Training}, all.Validation...) {
		name := s.Name
		if i < len(r.pairs) && r.pairs[i] != nil {
			name = r.pairs[i].Path
			if s.Meta.Pairs != nil {
				return cli.Usagef("%s: the data has pairs of its own; give one of both", name)
			}
			pairs, err := r.pairs[i].Of(s.Meta)
			if err != nil {
				return err
			}
			meta := *s.Meta // the reader may keep it
			meta.Pairs, s.Meta = pairs, &meta
		}
		switch {
		case s.Meta.Pairs == nil:
		case i == 0 && !r.usesTrainingPairs():
			return cli.Usagef("the data has pairs: %s", onlyPairs)
		case i > 0 && !r.judgesPairs():
			return cli.Usagef("%s has pairs: %s", s.Name, noPairMetric)
		default:
			r.showPairs(name, s.Meta)
		}
	}
	return nil
}

// showPairs says how many pairs there are, and warns of those that contradict each other.
func (r *run) showPairs(name string, m *dataset.Meta) {
	n := contradictions(m)
	r.Messages.Say("pairs", name+": "+wording.Count(len(m.Pairs), "pair"), "pairs", len(m.Pairs),
		"contradictions", n)
	if n > 0 {
		r.Messages.Warn(fmt.Sprintf("%s: %s of documents %s given in both orders, of which each counts; leave the "+
			"wrong order out, or give weights", name, wording.Count(n, "pair"), wording.Agree(n, "is", "are")))
	}
}

// contradictions returns the number of pairs of documents that are given in both orders.
func contradictions(m *dataset.Meta) (n int) {
	for i, p := range m.Pairs {
		again := i > 0 && dataset.ComparePairs(m.Pairs[i-1], p) == 0
		other := dataset.Pair{Query: p.Query, Better: p.Worse, Worse: p.Better}
		_, both := slices.BinarySearchFunc(m.Pairs, other, dataset.ComparePairs)
		if both && p.Better < p.Worse && !again {
			n++
		}
	}
	return n
}
