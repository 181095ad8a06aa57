package metric

import "testing"

// preset returns a convention by name.
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

// named returns a metric by name; a metric with a number gets the default number.
func named(name string, c Convention, k int) Metric { return find(name).with(c, k) }

// with returns the metric with its default number. A metric without a cutoff ignores cutoff.
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
