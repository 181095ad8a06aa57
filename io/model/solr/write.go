package solr

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/target"
	"github.com/lambdamart/lambdamart/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Options are what Solr's file has beyond the model.
type Options struct {
	Name  string // of the model in Solr; required
	Store string // feature store; Solr's default if empty

	// Missing allows isNullSameAsZero=false, which needs Solr 9.2 or newer: it
	// is written if the model sends missing values elsewhere than zeros.
	// Without it such a model is refused.
	Missing bool
	// NoMissing says that no document lacks a feature, so that it does not
	// matter where Solr would send missing values.
	NoMissing bool
}

// Write writes e, which must be valid.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	if o.Name == "" {
		return &Error{"name", fmt.Errorf("%w: the model needs a name", ErrFormat)}
	}
	sides, err := o.needsSides(e)
	if err != nil {
		return err
	}
	names, err := featureNames(e)
	if err != nil {
		return err
	}
	out := &writer{Writer: bufio.NewWriter(w), names: names, sides: sides}
	out.header(o, listedFeatures(e))
	for i := range e.Trees {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`{"weight":"1","root":`)
		out.node(&e.Trees[i], root(&e.Trees[i]))
		out.WriteByte('}')
	}
	if len(e.Trees) == 0 { // Solr wants a tree
		out.WriteString(`{"weight":"1","root":{"value":"0"}}`)
	}
	out.WriteString("]}}\n")
	return out.Flush() // a bufio.Writer keeps its first error
}

// needsSides tells whether the splits of e must name a side for missing values.
func (o Options) needsSides(e *tree.Ensemble) (bool, error) {
	a := target.Abilities{Engine: "Solr before 9.2", Missing: target.MissingZero, Float32: true}
	if o.NoMissing {
		a.Missing = target.MissingNever
	}
	err := a.Check(e)
	if err == nil || !o.Missing {
		return false, err
	}
	a.Engine, a.Missing = "Solr", target.MissingSide
	return true, a.Check(e)
}

// featureNames returns the names as JSON strings, after a check of those in use.
func featureNames(e *tree.Ensemble) ([]string, error) {
	names, seen := make([]string, len(e.Features)), map[string]bool{}
	for _, i := range listedFeatures(e) {
		name := e.Features[i].Name
		if name == "" || seen[name] {
			return nil, &Error{"features", fmt.Errorf("%w: %q, of feature %d, is empty or that of another feature too", ErrName, name, i)}
		}
		seen[name] = true
		names[i] = quoted(name)
	}
	return names, nil
}

// listedFeatures returns the features of the file: those in use, or the first one
// if there are none, as Solr wants one.
func listedFeatures(e *tree.Ensemble) []int {
	used := e.UsedFeatures()
	if len(used) == 0 && len(e.Features) > 0 {
		return []int{0}
	}
	return used
}

type writer struct {
	*bufio.Writer
	names []string // of all features, quoted
	sides bool     // splits name the side of missing values
	digit []byte   // for numbers
}

func (w *writer) header(o Options, used []int) {
	fmt.Fprintf(w, `{"class":"%s","name":%s,`, class, quoted(o.Name))
	if o.Store != "" {
		fmt.Fprintf(w, `"store":%s,`, quoted(o.Store))
	}
	w.WriteString(`"features":[`)
	separator := ""
	for _, f := range used {
		fmt.Fprintf(w, `%s{"name":%s}`, separator, w.names[f])
		separator = ","
	}
	w.WriteString(`],"params":{`)
	if w.sides {
		w.WriteString(`"isNullSameAsZero":false,`)
	}
	w.WriteString(`"trees":[`)
}

// root returns the number of a tree's root, as children are numbered.
func root(t *tree.Tree) int32 {
	if t.NumNodes() == 0 {
		return ^0
	}
	return 0
}

func (w *writer) node(t *tree.Tree, node int32) {
	if node < 0 {
		w.WriteString(`{"value":"`)
		w.number(float32(t.LeafValue[^node]))
		w.WriteString(`"}`)
		return
	}
	y, _ := threshold.Slack(t.Threshold[node])
	w.WriteString(`{"feature":`)
	w.WriteString(w.names[t.Feature[node]])
	w.WriteString(`,"threshold":"`)
	w.number(y)
	w.WriteString(`",`)
	if w.sides {
		w.WriteString(missingSide(threshold.NaNLeft(t.Decision[node], t.Threshold[node])))
	}
	w.WriteString(`"left":`)
	w.node(t, t.Left[node])
	w.WriteString(`,"right":`)
	w.node(t, t.Right[node])
	w.WriteByte('}')
}

func missingSide(left bool) string {
	if left {
		return `"missing":"left",`
	}
	return `"missing":"right",`
}

// number writes the fewest digits that Java's Float.parseFloat reads back to f.
func (w *writer) number(f float32) {
	switch {
	case math.IsInf(float64(f), 1):
		w.WriteString("Infinity")
	case math.IsInf(float64(f), -1):
		w.WriteString("-Infinity")
	default:
		w.digit = strconv.AppendFloat(w.digit[:0], float64(f), 'g', -1, 32)
		w.Write(w.digit)
	}
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return string(text)
}

// Astray is a range of float32 values that Solr sends to the other side than the
// model does.
type Astray struct {
	Feature   int
	Threshold float64 // of the model
	Above, To float32 // the values x with Above < x <= To
}

// Inexact lists the thresholds of e that no number in the file expresses, once
// each, in the order of the trees.
func Inexact(e *tree.Ensemble) []Astray {
	var list []Astray
	seen := map[Astray]bool{}
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, cut := range t.Threshold {
			y, ok := threshold.Slack(cut)
			if ok || t.Decision[node]&tree.Categorical != 0 {
				continue
			}
			want, have := threshold.AtMost(cut), threshold.SlackCut(y)
			a := Astray{int(t.Feature[node]), cut, min(want, have), max(want, have)}
			if !seen[a] {
				list = append(list, a)
				seen[a] = true
			}
		}
	}
	return list
}
