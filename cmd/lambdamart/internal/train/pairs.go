package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// pairsRow is the row of the file of pairs.
func pairsRow(dst *string) param.Parameter {
	return param.Parameter{Name: "pairs", Group: cli.GroupFiles, File: param.Read,
		Help: "Pairs of documents of the training data that objective=pairs learns: CSV or TSV with the columns " +
			"qid,better,worse for ids of documents (docid_column, or # docid = ID of LETOR text), or " +
			"qid,better_row,worse_row for their numbers in the query from 1, and perhaps weight.",
		Value: bind.Text(dst)}
}

// onlyPairs says what learns from pairs.
const onlyPairs = "only objective=pairs, or a sum such as objective=pairs:1,lambdarank:0.5, learns from them"

// learnsPairs reports whether the objective is pairs, or a sum with it.
func (r *run) learnsPairs() bool {
	objectives := strings.Split(r.Trees.Objective, ",")
	return r.caller.Objective == nil && slices.ContainsFunc(objectives, func(o string) bool {
		name, _, _ := strings.Cut(strings.TrimSpace(o), ":")
		return name == "pairs"
	})
}

// readPairs reads the file of pairs, whose documents are found once the data is there.
func (r *run) readPairs() (err error) {
	learned := r.learnsPairs()
	why := ""
	switch {
	case r.Pairs == "" && (!learned || arrays.Is(r.Data)): // arrays may have pairs
		return nil
	case r.Pairs == "":
		return cli.Usagef("objective=%s needs pairs of documents: give pairs=FILE", r.Trees.Objective)
	case r.IsNetwork():
		why = "ranker=" + r.Ranker + " is a network; trees learn from pairs"
	case !learned:
		why = onlyPairs
	case r.env.Peers.Size() > 1:
		why = "one process reads them, and a launcher has started several"
	}
	if why != "" {
		return cli.Usagef("pairs=%s: %s", r.Pairs, why)
	}
	if r.pairs, err = data.ReadPairs(r.Pairs); err != nil {
		return cli.DataError(err)
	}
	r.loading.Docs = r.pairs.ByID
	return nil
}

// addPairs gives the training data its pairs.
func (r *run) addPairs(s *data.Set) (err error) {
	meta := *s.Meta // the reader may keep it
	switch {
	case r.pairs != nil && meta.Pairs != nil:
		return cli.Usagef("pairs=%s: the data has pairs of its own; give one of both", r.Pairs)
	case r.pairs != nil:
		if meta.Pairs, err = r.pairs.Of(&meta); err != nil {
			return cli.DataError(err)
		}
		s.Meta = &meta
	case meta.Pairs == nil:
		return nil
	case !r.learnsPairs():
		return cli.Usagef("the data has pairs: %s", onlyPairs)
	}
	text := fmt.Sprintf("%s: %s pairs", cmp.Or(r.Pairs, s.Name), wording.Thousands(len(meta.Pairs)))
	n := meta.Contradictions()
	if n > 0 {
		text += fmt.Sprintf("; %s of two documents are given in both orders", wording.Thousands(n))
	}
	r.messages.Say("pairs", text, "pairs", len(meta.Pairs), "contradictions", n)
	return nil
}
