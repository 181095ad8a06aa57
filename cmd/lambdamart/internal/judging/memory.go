package judging

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/scoring"
)

// memorySystem returns the system whose scores are a column in arrays of another program.
func (p *common) memorySystem(column string) system {
	return system{column, func() (evaluate.Ranking, closers, error) {
		rows, err := arrays.Open(p.Data, arrays.Options{Workers: p.NumThreads, Infinite: true})
		if err != nil {
			return evaluate.Ranking{}, nil, err
		}
		scores := columnScores{rows.Names(), slices.Index(rows.Names(), column)}
		if scores.column < 0 {
			return evaluate.Ranking{}, closers{rows}, fmt.Errorf("the data has no column %q; score_field= names "+
				"one of its columns", column)
		}
		all, err := scoring.Scores(scores).All(context.Background(), rows)
		if err != nil {
			return evaluate.Ranking{}, closers{rows}, err
		}
		return evaluate.FromScores(column, all.Meta, all.Numbers), closers{rows}, nil
	}}
}

// columnScores is a model whose scores are a column of the rows.
type columnScores struct {
	names  []string
	column int
}

func (c columnScores) NumFeatures() int       { return len(c.names) }
func (c columnScores) FeatureNames() []string { return c.names }
func (c columnScores) UsedFeatures() []int    { return []int{c.column} }

func (c columnScores) Score(dst, rows []float64) error {
	for i := range dst {
		dst[i] = rows[i*len(c.names)+c.column]
	}
	return nil
}
