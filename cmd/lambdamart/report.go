package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// dataEvent describes a set of data.
type dataEvent struct {
	Set                 string       `json:"set"`
	Path                string       `json:"path"`
	Rows                int          `json:"rows"`
	Queries             int          `json:"queries"`
	Features            int          `json:"features"`
	Documents           [3]int       `json:"documents_min_median_max"`
	Labels              []labelCount `json:"labels"`
	QueriesWithoutPairs int          `json:"queries_without_pairs"`
	EmptyQueries        int          `json:"empty_queries"` // queries without rows, which are left out
	NaNs                int64        `json:"nan_values"`
	NaNFeatures         int          `json:"nan_features"` // number of features with NaN
	Seconds             number       `json:"seconds"`
}

// labelCount is how often a label occurs.
type labelCount struct {
	Label number `json:"label"`
	Rows  int    `json:"rows"`
}

// newDataEvent describes data. nans has the number of missing values of each feature; it is nil if they
// were not counted.
func newDataEvent(set, path string, meta *dataset.Meta, nans []int64, took time.Duration) dataEvent {
	s := meta.Summarize()
	e := dataEvent{
		Set: set, Path: path, Rows: s.Rows, Queries: s.Queries, Features: s.Features, Documents: [3]int{s.MinDocs, s.MedianDocs, s.MaxDocs},
		QueriesWithoutPairs: s.QueriesWithoutPairs, EmptyQueries: s.EmptyQueries, Seconds: number(took.Seconds()),
	}
	for _, l := range s.Labels {
		e.Labels = append(e.Labels, labelCount{number(l.Label), l.Rows})
	}
	for _, n := range nans {
		if n > 0 {
			e.NaNs, e.NaNFeatures = e.NaNs+n, e.NaNFeatures+1
		}
	}
	return e
}

func (e dataEvent) kind() string { return "data" }
func (e dataEvent) level() int   { return 1 }

func (e dataEvent) String() string {
	text := fmt.Sprintf("%s: %s: %s rows in %s queries of %d to %d documents (median %d), %d features; read in %.1f s\n  labels: %s; queries without pairs: %s",
		e.Set, e.Path, thousands(e.Rows), thousands(e.Queries), e.Documents[0], e.Documents[2], e.Documents[1], e.Features,
		float64(e.Seconds), e.labels(), thousands(e.QueriesWithoutPairs))
	if e.EmptyQueries > 0 {
		text += "; queries without rows, left out: " + thousands(e.EmptyQueries)
	}
	if e.NaNs > 0 {
		text += fmt.Sprintf("; missing (NaN): %s values, of %d features", thousands(int(e.NaNs)), e.NaNFeatures)
	}
	return text
}

// mostLabels is the maximum number of labels that are listed.
const mostLabels = 10

func (e dataEvent) labels() string {
	var parts []string
	for i, l := range e.Labels {
		if i == mostLabels {
			parts = append(parts, fmt.Sprintf("and %d more values", len(e.Labels)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%v × %s", float64(l.Label), thousands(l.Rows)))
	}
	return strings.Join(parts, ", ")
}

// reportEvent describes a training that is about to begin.
type reportEvent struct {
	Features    int      `json:"features"`
	Constant    int      `json:"constant_features"`
	Bins        int      `json:"bins"`
	MemoryBytes int      `json:"memory_bytes"`
	Metrics     []string `json:"metrics"`
	Convention  string   `json:"convention"`
	StopRule    string   `json:"stop_rule"`
	Changed     []string `json:"parameters"` // those that differ from their defaults
}

func (o *options) newReport(all *data.Loaded) reportEvent {
	defaults := booster.DefaultParams()
	e := reportEvent{
		Features: len(all.Mapper.Features),
		Constant: all.Mapper.NumConstant(),
		StopRule: o.learner().stopRule(),
		Changed:  changed(o.train.Table(), defaults.Table()),
	}
	for i := range all.Mapper.Features {
		if f := &all.Mapper.Features[i]; !f.Constant() {
			e.Bins += f.NumBins()
		}
	}
	e.MemoryBytes = booster.MemoryEstimate(&o.train, all.Mapper, all.Training.Meta)
	metrics, _ := o.train.Metrics()
	e.Metrics, e.Convention = evaluated(metrics)
	return e
}

// evaluated returns the names of metrics and their convention, as a report has them.
func evaluated(metrics []metric.Metric) (names []string, convention string) {
	for _, m := range metrics {
		names = append(names, m.Name())
		convention = m.Convention().String()
	}
	return names, convention
}

// changed lists the parameters of t that differ from their defaults.
func changed(t, defaults param.Table) []string {
	list := []string{}
	for i, p := range defaults {
		if value := t[i].Value.String(); value != p.Value.String() {
			list = append(list, p.Name+"="+value)
		}
	}
	return list
}

func (e reportEvent) kind() string { return "report" }
func (e reportEvent) level() int   { return 1 }

func (e reportEvent) String() string {
	s := fmt.Sprintf("%d of %d features vary, in %s bins; about %s MB of memory to train", e.Features-e.Constant, e.Features, thousands(e.Bins), thousands(e.MemoryBytes/1e6+1))
	if e.Convention != "" {
		s += "\nmetrics: " + e.Convention
	}
	return s + "\ntraining ends " + e.StopRule
}
