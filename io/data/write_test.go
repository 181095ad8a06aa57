package data

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
)

// smallData returns two queries of three documents with two features.
func smallData(t *testing.T, query string) dataset.Columned {
	d, err := dataset.NewDense(dataset.Meta{
		Labels:  []float64{2, 0, 1},
		Queries: []dataset.Query{{ID: query, Len: 2}, {ID: "b", First: 2, Len: 1}},
	}, []float64{0.5, 0, -1, 0, 3, 0})
	require.NoError(t, err)
	return d
}

// TestWriteTables: all tables have the same cells; a feature that the data lacks has no column.
func TestWriteTables(t *testing.T) {
	var all []*dataset.Meta
	for _, f := range []string{CSV, TSV, Parquet} {
		var b bytes.Buffer
		require.NoError(t, Write(t.Context(), &b, smallData(t, "a"),
			WriteOptions{Format: f, Names: []string{"x", "y"},
				Absent: []int{1}}))
		data, err := Open(aid.File(t, "small."+f, b.Bytes()), Options{})
		require.NoError(t, err)
		var values []float64
		meta, err := dataset.Scan(context.Background(), data, nil, func(_ int, row dataset.Row) error {
			values = append(values, row.Value...)
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, data.Close())
		assert.Equal(t, []float64{0.5, -1, 3}, values)
		all = append(all, meta)
	}
	assert.Equal(t, []float64{2, 0, 1}, all[0].Labels)
	assert.Equal(t, "a", all[0].Queries[0].ID)
	for _, m := range all[1:] {
		assert.Equal(t, all[0].Labels, m.Labels)
		assert.Equal(t, all[0].Queries, m.Queries)
		assert.Equal(t, all[0].Features, m.Features)
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		format string
		query  string
		names  []string
		absent []int
		want   error
	}{
		{"xml", "a", nil, nil, errFormat},
		{LETOR, "a b", []string{"x", "y"}, nil, errText},
		{LETOR, "a", []string{"x", "y"}, nil, errFeature}, // feature_base 0
		{CSV, "a", []string{"x", "x"}, nil, errText},
		{Parquet, "a", []string{"x", "label"}, nil, errText},
		{Parquet, "a", []string{"x", "\xff"}, nil, errText},
		{Parquet, "\xff", []string{"x", "y"}, nil, errText},
		{Parquet, "a", []string{"x", "y"}, []int{0}, errFeature},
	} {
		err := Write(t.Context(), &bytes.Buffer{}, smallData(t, c.query),
			WriteOptions{Format: c.format, Names: c.names, Absent: c.absent})
		assert.ErrorIs(t, err, c.want, "%+v", c)
	}
}
