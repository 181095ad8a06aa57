package metric

import "testing"

// preset returns a convention by its name.
func preset(name string) Convention {
	c, err := ConventionByName(name, Exp2())
	if err != nil {
		panic(err)
	}
	return c
}

func (c Convention) withTies(t Ties) Convention {
	c.Ties = t
	return c
}

func (c Convention) withEmpty(e Empty) Convention {
	c.Empty = e
	return c
}

func (c Convention) withGain(g Gain) Convention {
	c.Gain = g
	return c
}

// named returns a metric by its name; a metric that takes a number gets its default.
func named(name string, c Convention, k int) Metric { return find(kinds, name).with(c, k) }

// with returns the metric with its usual number. One that takes no cut-off ignores it.
func (k *kind) with(c Convention, cutoff int) Metric {
	if k.noCutoff {
		cutoff = 0
	}
	return newMetric(k, c, cutoff, k.number())
}

func (k *kind) number() float64 {
	if k.takes == nil {
		return 0
	}
	return k.takes.standard
}

// parsed returns a metric by its spec.
func parsed(t *testing.T, spec string) Metric {
	t.Helper()
	m, err := Parse(spec, Default())
	if err != nil {
		t.Fatal(err)
	}
	return m
}
