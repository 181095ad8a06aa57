package sourcecode

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/querycontext"
)

// queryForm is what a file has for a model with query context: instead of a function for a row, one for
// the rows of a query, which computes the columns by the formulas of package querycontext.
type queryForm struct {
	head  []string // texts of the head to replace, each followed by what replaces it
	score []string // the same of the function that scores, which is private then
	query string   // the functions before it
}

// kindNumber returns the number that stands for a kind in the code: its place in [querycontext.Kinds].
func kindNumber(k querycontext.Kind) int { return slices.Index(querycontext.Kinds(), k) }

func contextRow(c querycontext.Column) string {
	return fmt.Sprintf("{%d, %d}", kindNumber(c.Kind), c.Feature)
}

func javaContextRow(c querycontext.Column) string {
	return fmt.Sprintf("%d %d", kindNumber(c.Kind), c.Feature)
}

var goQuery = queryForm{
	head: []string{"package NAME\n", `package NAME

import (
	"math"
	"slices"
)
`},
	score: []string{`// Score returns the score of a row of NumFeatures values; NaN is a missing value.
func Score(row []float64) float64 {
	row = row[:NumFeatures]
`, `// score returns the score of a row of all columns; NaN is a missing value.
func score(row []float64) float64 {
`},
	query: `// ScoreQuery returns the score of each document of a query. A row has NumFeatures values, finite
// or NaN where missing.
func ScoreQuery(rows [][]float64) []float64 {
	wide := make([][]float64, len(rows))
	for i, row := range rows {
		wide[i] = make([]float64, NumFeatures+len(contexts))
		copy(wide[i], row[:NumFeatures])
	}
	sorted := make([]float64, 0, len(rows))
	for column, c := range contexts {
		sorted = sorted[:0]
		for _, row := range rows {
			if x := row[c.feature]; x == x {
				sorted = append(sorted, x)
			}
		}
		slices.Sort(sorted)
		values := newValues(c.kind, sorted, len(rows))
		for i, row := range rows {
			wide[i][NumFeatures+column] = values.context(row[c.feature])
		}
	}
	scores := make([]float64, len(rows))
	for i, row := range wide {
		scores[i] = score(row)
	}
	return scores
}

// values are those of a feature in a query.
type values struct {
	kind                   int32
	sorted                 []float64 // those that are not missing
	documents              int
	scale, mean, deviation float64 // scale is the largest absolute value
}

func newValues(kind int32, sorted []float64, documents int) values {
	v := values{kind: kind, sorted: sorted, documents: documents}
	if len(sorted) == 0 {
		return v
	}
	n := float64(len(sorted))
	v.scale = max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1]))
	if kind != 1 || sorted[0] == sorted[len(sorted)-1] {
		return v
	}
	for _, x := range sorted {
		v.mean += float64(x / v.scale)
	}
	v.mean /= n
	variance := 0.0
	for _, x := range sorted {
		d := float64(x/v.scale) - v.mean
		variance += float64(d * d)
	}
	v.deviation = math.Sqrt(variance / n)
	return v
}

// context returns the context of a value of the feature.
func (v *values) context(x float64) float64 {
	if v.kind == 5 {
		return float64(v.documents)
	}
	if x != x {
		return x
	}
	low, high := v.sorted[0], v.sorted[len(v.sorted)-1]
	switch {
	case v.kind == 0:
		first, _ := slices.BinarySearch(v.sorted, x)
		end := first
		for end < len(v.sorted) && v.sorted[end] == x {
			end++
		}
		return float64(first+end) / float64(2*len(v.sorted))
	case v.kind == 3:
		if v.scale == 0 {
			return 0
		}
		return float64(x/v.scale) + 0
	case v.kind == 4:
		return min(high-x, math.MaxFloat64)
	case low == high || v.kind == 1 && v.deviation == 0:
		return 0
	case v.kind == 1:
		return (float64(x/v.scale) - v.mean) / v.deviation
	case math.IsInf(high-low, 1):
		return (float64(x/2) - float64(low/2)) / (float64(high/2) - float64(low/2))
	}
	return (x - low) / (high - low)
}

`,
}

var cQuery = queryForm{
	head: []string{
		" * double NAME_score(const double *row). */\n", " * int NAME_score_query(const double *rows, int32_t " +
			"count, double *scores). It needs\n * the C library, with its part for mathematics (-lm). */\n",
		"#include <stdint.h>\n", "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include " +
			"<string.h>\n",
		"double NAME_score(const double *row);\n",
		"int NAME_score_query(const double *rows, int32_t count, double *scores);\n",
	},
	score: []string{`/* Returns the score of a row of UPPER_NUM_FEATURES values; NaN is a missing value. */
double NAME_score(const double *row)
`, `/* Returns the score of a row of all columns; NaN is a missing value. */
static double score_row(const double *row)
`},
	query: `static double score_row(const double *row);

enum { num_contexts = sizeof contexts / sizeof contexts[0], num_columns = UPPER_NUM_FEATURES + num_contexts };

/* The values of a feature in a query. */
struct values {
	int32_t kind, documents, n; /* n are not missing */
	const double *sorted;
	double scale, mean, deviation; /* scale is the largest absolute value */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct values values_of(int32_t kind, const double *sorted, int32_t n, int32_t documents)
{
	struct values v = {kind, documents, n, sorted, 0, 0, 0};
	double variance = 0;
	int32_t i;

	if (n == 0)
		return v;
	v.scale = fabs(sorted[0]) > fabs(sorted[n - 1]) ? fabs(sorted[0]) : fabs(sorted[n - 1]);
	if (kind != 1 || sorted[0] == sorted[n - 1])
		return v;
	for (i = 0; i < n; i++)
		v.mean += sorted[i] / v.scale;
	v.mean /= n;
	for (i = 0; i < n; i++) {
		double d = sorted[i] / v.scale - v.mean;
		volatile double square = d * d; /* so that no compiler fuses it with the sum */
		variance += square;
	}
	v.deviation = sqrt(variance / n);
	return v;
}

/* Returns the context of a value of the feature. */
static double context_of(const struct values *v, double x)
{
	double low, high;

	if (v->kind == 5)
		return v->documents;
	if (x != x)
		return x;
	low = v->sorted[0];
	high = v->sorted[v->n - 1];
	if (v->kind == 0) {
		int32_t first = 0, end = v->n;
		while (first < end) {
			int32_t middle = first + (end - first) / 2;
			if (v->sorted[middle] < x)
				first = middle + 1;
			else
				end = middle;
		}
		while (end < v->n && v->sorted[end] == x)
			end++;
		return ((double)first + end) / (2 * (double)v->n);
	}
	if (v->kind == 3)
		return v->scale == 0 ? 0 : x / v->scale + 0;
	if (v->kind == 4)
		return high - x < DBL_MAX ? high - x : DBL_MAX;
	if (low == high || (v->kind == 1 && v->deviation == 0))
		return 0;
	if (v->kind == 1)
		return (x / v->scale - v->mean) / v->deviation;
	if (high - low > DBL_MAX)
		return (x / 2 - low / 2) / (high / 2 - low / 2);
	return (x - low) / (high - low);
}

/* Writes the score of each document of a query. rows has count rows of UPPER_NUM_FEATURES
 * values, one after the other, finite or NaN where missing. Returns 0, or -1 if there is
 * not enough memory. */
int NAME_score_query(const double *rows, int32_t count, double *scores)
{
	double *wide, *sorted;
	int32_t i, column;

	if (count <= 0)
		return 0;
	if ((size_t)count > SIZE_MAX / sizeof *wide / (num_columns + 1))
		return -1;
	wide = malloc((size_t)count * (num_columns + 1) * sizeof *wide);
	if (wide == NULL)
		return -1;
	sorted = wide + (size_t)count * num_columns;
	for (i = 0; i < count; i++)
		memcpy(wide + (size_t)i * num_columns, rows + (size_t)i * UPPER_NUM_FEATURES, UPPER_NUM_FEATURES * sizeof *wide);
	for (column = 0; column < num_contexts; column++) {
		const double *first = wide + contexts[column].feature;
		struct values v;
		int32_t n = 0;
		for (i = 0; i < count; i++) {
			double x = first[(size_t)i * num_columns];
			if (x == x)
				sorted[n++] = x;
		}
		qsort(sorted, (size_t)n, sizeof *sorted, by_value);
		v = values_of(contexts[column].kind, sorted, n, count);
		for (i = 0; i < count; i++)
			wide[(size_t)i * num_columns + UPPER_NUM_FEATURES + (size_t)column] = context_of(&v, first[(size_t)i * num_columns]);
	}
	for (i = 0; i < count; i++)
		scores[i] = score_row(wide + (size_t)i * num_columns);
	free(wide);
	return 0;
}

`,
}

var javaQuery = queryForm{
	head: []string{
		"number of threads, and allocate nothing.", "number of threads.",
	},
	score: []string{`	/**
	 * Returns the score of a row of NUM_FEATURES values; NaN is a missing value. A row of another
	 * length is an IllegalArgumentException.
	 */
	public static double score(double[] row) {
		if (row.length != NUM_FEATURES) {
			throw new IllegalArgumentException("a row has " + row.length + " values, want " + NUM_FEATURES);
		}
`, `	/** Returns the score of a row of all columns; NaN is a missing value. */
	private static double score(double[] row) {
`},
	query: `	/** Kind and feature of each column of query context, one after the other. */
	private static final int[] CONTEXTS = integers(CONTEXT_TEXT);

	/**
	 * Returns the score of each document of a query. A row has NUM_FEATURES values, finite or NaN
	 * where missing. A row of another length is an IllegalArgumentException.
	 */
	public static double[] scoreQuery(double[][] rows) {
		int columns = CONTEXTS.length / 2;
		double[][] wide = new double[rows.length][];
		for (int i = 0; i < rows.length; i++) {
			if (rows[i].length != NUM_FEATURES) {
				throw new IllegalArgumentException("row " + i + " has " + rows[i].length + " values, want " + NUM_FEATURES);
			}
			wide[i] = java.util.Arrays.copyOf(rows[i], NUM_FEATURES + columns);
		}
		double[] sorted = new double[rows.length];
		for (int column = 0; column < columns; column++) {
			int feature = CONTEXTS[2 * column + 1];
			int n = 0;
			for (double[] row : rows) {
				if (row[feature] == row[feature]) {
					sorted[n++] = row[feature];
				}
			}
			java.util.Arrays.sort(sorted, 0, n);
			Values values = new Values(CONTEXTS[2 * column], sorted, n, rows.length);
			for (int i = 0; i < rows.length; i++) {
				wide[i][NUM_FEATURES + column] = values.context(rows[i][feature]);
			}
		}
		double[] scores = new double[rows.length];
		for (int i = 0; i < rows.length; i++) {
			scores[i] = score(wide[i]);
		}
		return scores;
	}

	/** The values of a feature in a query. */
	private static final class Values {
		private final int kind;
		private final double[] sorted; // the first n, which are not missing
		private final int n;
		private final int documents;
		private double scale; // the largest absolute value
		private double mean;
		private double deviation;

		Values(int kind, double[] sorted, int n, int documents) {
			this.kind = kind;
			this.sorted = sorted;
			this.n = n;
			this.documents = documents;
			if (n == 0) {
				return;
			}
			scale = Math.max(Math.abs(sorted[0]), Math.abs(sorted[n - 1]));
			if (kind != 1 || sorted[0] == sorted[n - 1]) {
				return;
			}
			for (int i = 0; i < n; i++) {
				mean += sorted[i] / scale;
			}
			mean /= n;
			double variance = 0;
			for (int i = 0; i < n; i++) {
				double d = sorted[i] / scale - mean;
				variance += d * d;
			}
			deviation = Math.sqrt(variance / n);
		}

		/** Returns the context of a value of the feature. */
		double context(double x) {
			if (kind == 5) {
				return documents;
			}
			if (x != x) {
				return x;
			}
			double low = sorted[0];
			double high = sorted[n - 1];
			if (kind == 0) {
				int first = 0;
				int end = n;
				while (first < end) {
					int middle = first + (end - first) / 2;
					if (sorted[middle] < x) {
						first = middle + 1;
					} else {
						end = middle;
					}
				}
				while (end < n && sorted[end] == x) {
					end++;
				}
				return ((double) first + end) / (2 * (double) n);
			}
			if (kind == 3) {
				return scale == 0 ? 0 : x / scale + 0;
			}
			if (kind == 4) {
				return Math.min(high - x, Double.MAX_VALUE);
			}
			if (low == high || kind == 1 && deviation == 0) {
				return 0;
			}
			if (kind == 1) {
				return (x / scale - mean) / deviation;
			}
			if (high - low > Double.MAX_VALUE) {
				return (x / 2 - low / 2) / (high / 2 - low / 2);
			}
			return (x - low) / (high - low);
		}
	}

`,
}
