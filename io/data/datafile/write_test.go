package datafile

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/table"
)

// small returns two queries of three documents with two features.
func small(t *testing.T, query string) *dataset.Dense {
	d, err := dataset.NewDense(dataset.Meta{
		Labels:  []float64{2, 0, 1},
		Queries: []dataset.Query{{ID: query, Len: 2}, {ID: "b", First: 2, Len: 1}},
	}, []float64{0.5, 0, -1, 0, 3, 0})
	require.NoError(t, err)
	return d
}

// TestTables: all tables have the same cells; an absent feature has no column.
func TestTables(t *testing.T) {
	var all []*dataset.Meta
	for _, f := range []Format{CSV, TSV, Parquet} {
		var b bytes.Buffer
		require.NoError(t, Write(t.Context(), &b, small(t, "a"), Options{Format: f, Names: []string{"x", "y"},
			Absent: []int{1}}))
		path := filepath.Join(t.TempDir(), "small."+string(f))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
		data, err := table.Open(path, table.Options{})
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
		format Format
		query  string
		names  []string
		absent []int
		want   error
	}{
		{"xml", "a", nil, nil, ErrFormat},
		{LETOR, "a b", []string{"x", "y"}, nil, ErrText},
		{LETOR, "a", []string{"x", "y"}, nil, ErrFeature}, // feature_base 0
		{CSV, "a", []string{"x", "x"}, nil, ErrText},
		{Parquet, "a", []string{"x", "label"}, nil, ErrText},
		{Parquet, "a", []string{"x", "\xff"}, nil, ErrText},
		{Parquet, "\xff", []string{"x", "y"}, nil, ErrText},
		{Parquet, "a", []string{"x", "y"}, []int{0}, ErrFeature},
	} {
		err := Write(t.Context(), &bytes.Buffer{}, small(t, c.query),
			Options{Format: c.format, Names: c.names, Absent: c.absent})
		assert.ErrorIs(t, err, c.want, "%+v", c)
	}
}
