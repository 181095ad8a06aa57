package data

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/data/table"
)

func TestColumn(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "b.csv": asCSV, "c.tsv": strings.ReplaceAll(asCSV, ",", "\t")})
	for _, name := range []string{"b.csv", "c.tsv"} {
		got, err := Column(ctx, path(name), Options{Layout: ofTable, Workers: 2}, "name:Column_2")
		require.NoError(t, err)
		assert.Equal(t, []float64{0.5, 4, 1, 0.25, 4, 0}, got)
	}
	_, err := Column(ctx, path("a.txt"), Options{}, "fold")
	require.ErrorIs(t, err, ErrNoTable)
	_, err = Column(ctx, path("b.csv"), Options{Layout: ofTable}, "fold")
	require.ErrorIs(t, err, table.ErrNoFeature)
	_, err = Column(ctx, path("absent"), Options{}, "fold")
	require.Error(t, err)
}

func TestIgnoring(t *testing.T) {
	for before, after := range map[string]string{"": "name:fold", "name:a,b": "name:a,b,fold"} {
		l, err := Layout{Ignore: before}.Ignoring("name:fold")
		require.NoError(t, err)
		assert.Equal(t, after, l.Ignore)
	}
	_, err := Layout{Ignore: "3"}.Ignoring("fold")
	require.ErrorContains(t, err, "ignore_column=3: write the names")
}
