package lambdamart_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/io/data"
)

func TestCrossValidate(t *testing.T) {
	p := small()
	d, err := lambdamart.Load(ctx, p, write(t, "train.txt", letorText(12)))
	require.NoError(t, err)
	defer d.Close()
	folds, err := crossval.Draw(d.Training.Meta, 3, 0)
	require.NoError(t, err)
	r, err := lambdamart.CrossValidate(ctx, p, d, folds, crossval.Options{})
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
	_, err = lambdamart.CrossValidate(ctx, p, d, crossval.Folds{}, crossval.Options{})
	require.ErrorIs(t, err, crossval.ErrFolds)
}
