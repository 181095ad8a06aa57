package lambdamart_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

func TestCrossValidate(t *testing.T) {
	p := small()
	d, err := lambdamart.Load(ctx, p, write(t, "train.txt", letorText(12)))
	require.NoError(t, err)
	defer d.Close()
	folds, err := study.DrawFolds(d.Training.Meta, 3, 0)
	require.NoError(t, err)
	r, err := lambdamart.CrossValidate(ctx, p, d, folds, study.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1.0, r.Mean, "the feature is the label")
	assert.Equal(t, 1, r.Best)
	p.Params = r.Final(p.Params)
	final, err := lambdamart.Train(ctx, p, d)
	require.NoError(t, err)
	assert.Len(t, final.Model.Trees, 1)
	average, err := r.Average()
	require.NoError(t, err)
	assert.Len(t, average.Trees, 3)
	written := write(t, "average.txt", "")
	require.NoError(t, lambdamart.WriteModel(written, average))
	judged, err := lambdamart.Evaluate(ctx, average, write(t, "test.txt", letorText(3)), data.Options{}, ndcg)
	require.NoError(t, err)
	assert.Equal(t, 1.0, judged.Results[0].Mean)
	_, err = lambdamart.CrossValidate(ctx, p, d, study.Folds{}, study.Options{})
	require.ErrorIs(t, err, study.ErrFolds)
}

func TestTune(t *testing.T) {
	p := small()
	path := write(t, "train.txt", letorText(12))
	d, err := lambdamart.Load(ctx, p, path)
	require.NoError(t, err)
	defer d.Close()
	folds, err := study.DrawFolds(d.Training.Meta, 3, 0)
	require.NoError(t, err)
	space := []param.Setting{{Name: "num_leaves", Value: "2..4"}}
	r, err := lambdamart.Tune(ctx, p, d, folds, study.TuneOptions{Space: space, Trials: 2})
	require.NoError(t, err)
	assert.Len(t, r.Trials, 3)
	assert.Equal(t, r.Trials[:1], r.Models, "the defaults are perfect")
	assert.False(t, r.Beats)
	p.Params = r.Params()
	_, err = lambdamart.Train(ctx, p, d)
	require.NoError(t, err)

	judged, err := lambdamart.Load(ctx, p, path, write(t, "vali.txt", letorText(5)))
	require.NoError(t, err)
	defer judged.Close()
	p = small()
	p.MinDataInLeaf = 2
	r, err = lambdamart.Tune(ctx, p, judged, study.Folds{}, study.TuneOptions{Trials: 1})
	require.NoError(t, err)
	assert.Equal(t, 5, r.Queries)
	_, err = lambdamart.Tune(ctx, p, judged, study.Folds{}, study.TuneOptions{})
	require.ErrorContains(t, err, "0 trials")
}
