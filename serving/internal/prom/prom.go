// Package prom implements metrics in the text format of Prometheus, version 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats). It is smaller than what Prometheus's client library
// would add to the program.
package prom

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Family is a metric with its values by label. Any number of goroutines may use it.
type Family struct {
	name, help, kind string
	labels           []string
	bounds           []float64 // of a histogram

	mu     sync.Mutex
	series map[string]*series // by the text of its labels
}

// series are the values for a combination of labels.
type series struct {
	value  float64  // of counters and gauges; the sum of a histogram
	counts []uint64 // of a histogram: values in each bucket; the last bucket has no upper bound
}

// Counter returns a metric that only grows.
func Counter(name, help string, labels ...string) *Family {
	return &Family{name: name, help: help, kind: "counter", labels: labels, series: map[string]*series{}}
}

// Gauge returns a metric that may rise and fall.
func Gauge(name, help string, labels ...string) *Family {
	return &Family{name: name, help: help, kind: "gauge", labels: labels, series: map[string]*series{}}
}

// Histogram returns a metric that counts values in buckets with the given ascending upper bounds.
func Histogram(name, help string, bounds []float64, labels ...string) *Family {
	return &Family{name: name, help: help, kind: "histogram", labels: labels, bounds: bounds,
		series: map[string]*series{}}
}

// of returns the series of the values of the labels. f.mu is locked.
func (f *Family) of(values []string) *series {
	key := f.key(values)
	s := f.series[key]
	if s == nil {
		s = &series{counts: make([]uint64, len(f.bounds)+1)}
		f.series[key] = s
	}
	return s
}

// key returns the text between the braces for labels with these values.
func (f *Family) key(values []string) string {
	var b strings.Builder
	for i, label := range f.labels {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s="%s"`, label, escapeLabel.Replace(values[i]))
	}
	return b.String()
}

var (
	escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// Add adds v to the value for the labels, in the order of the names.
func (f *Family) Add(v float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of(labels).value += v
}

// Set sets the value for the labels.
func (f *Family) Set(v float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of(labels).value = v
}

// Clear removes all values.
func (f *Family) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.series)
}

// Observe counts v in a histogram.
func (f *Family) Observe(v float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.of(labels)
	at, _ := slices.BinarySearch(f.bounds, v)
	s.counts[at]++
	s.value += v
}

// Write writes families one after the other.
func Write(w io.Writer, families ...*Family) error {
	var b strings.Builder
	for _, f := range families {
		f.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *Family) write(b *strings.Builder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, escapeHelp.Replace(f.help), f.name, f.kind)
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		if f.kind == "histogram" {
			f.writeHistogram(b, key, f.series[key])
			continue
		}
		fmt.Fprintf(b, "%s%s %s\n", f.name, braced(key), number(f.series[key].value))
	}
}

func (f *Family) writeHistogram(b *strings.Builder, key string, s *series) {
	before := key
	if key != "" {
		before += ","
	}
	total := uint64(0)
	for i, count := range s.counts {
		total += count
		bound := "+Inf"
		if i < len(f.bounds) {
			bound = number(f.bounds[i])
		}
		fmt.Fprintf(b, "%s_bucket{%sle=\"%s\"} %d\n", f.name, before, bound, total)
	}
	fmt.Fprintf(b, "%s_sum%s %s\n%s_count%s %d\n", f.name, braced(key), number(s.value), f.name, braced(key),
		total)
}

func braced(key string) string {
	if key == "" {
		return ""
	}
	return "{" + key + "}"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
