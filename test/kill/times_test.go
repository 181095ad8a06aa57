//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOnlyTimesAreNotCompared: a time may have any number of digits and stand
// anywhere. Everything else counts.
func TestOnlyTimesAreNotCompared(t *testing.T) {
	for _, c := range []struct {
		name, file, a, b string
		same             bool
	}{
		{"a time", "r.json", `{"train_seconds_of_all":0.25,"n":1}`, `{"train_seconds_of_all":2.5e-2,"n":1}`, true},
		{"times below", "r.json", `{"runs":[{"seconds": 1,"n":1}]}`, `{"runs":[{"seconds": 10.5,"n":1}]}`, true},
		{"a time of zero", "r.json", `{"n":1}`, `{"score_micros_a_document":0,"n":1}`, true},
		{"checksums", "r.json", `{"sha256":"00","result":{}}`, `{"sha256":"11","result":{}}`, true},
		{"the order", "r.json", `{"n":1,"seconds":1,"m":2}`, `{"m":2,"n":1}`, true},
		{"a number", "r.json", `{"seconds":1,"n":1}`, `{"seconds":1,"n":2}`, false},
		{"the last digit", "r.json", `{"n":0.12345678901234567}`, `{"n":0.12345678901234568}`, false},
		{"a field", "r.json", `{"seconds":1,"n":1}`, `{"seconds":1,"n":1,"m":null}`, false},
		{"half of it", "r.json", `{"n":1,"seconds":1}`, `{"n":1,"seconds":`, false},
		{"more after it", "r.json", `{"n":1}`, `{"n":1}{`, false},
		{"the end of the line", "r.json", "{\"n\":1}\n", `{"n":1}`, false},
		{"columns", "r.tsv", "n\tseconds\tm\n1\t2.5\t3\n", "n\tseconds\tm\n1\t13\t3\n", true},
		{"another column", "r.tsv", "n\tseconds\tm\n1\t2.5\t3\n", "n\tseconds\tm\n1\t2.5\t4\n", false},
		{"half a row", "r.tsv", "n\ttrain_seconds\n1\t2.5\n", "n\ttrain_seconds\n1\t2", false},
		{"a cell less", "r.tsv", "n\ttrain_seconds\n1\t2.5\n", "n\ttrain_seconds\n1\n", false},
		{"other tables", "r.tsv", "n\tm\n1\t2\n", "n\tm\n1\t3\n", false},
		{"other files", "m", `{"seconds":1}`, `{"seconds":2}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := withoutTimes(c.file, []byte(c.a)), withoutTimes(c.file, []byte(c.b))
			assert.Equal(t, c.same, string(a) == string(b), "%s\n%s", a, b)
		})
	}
}

// TestUndisturbedRunsAreTheSame: the outputs of two runs that print times differ in nothing that is compared.
func TestUndisturbedRunsAreTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the command")
	}
	t.Parallel()
	h, err := prepare(t.TempDir(), 1)
	require.NoError(t, err)
	for i := range h.scenarios {
		s := &h.scenarios[i]
		if !s.timed {
			continue
		}
		want, err := h.goldenOf(s)
		require.NoError(t, err)
		where, err := h.fresh("second")
		require.NoError(t, err)
		fault, err := h.goesOn(s, want, where, 1)
		require.NoError(t, err)
		assert.Empty(t, fault, s.name)
	}
}
