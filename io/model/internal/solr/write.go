package solr

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Options are what Solr's file has beyond the model.
type Options struct {
	Name  string // name of the model in Solr; required
	Store string // feature store; Solr's default if empty

	// Missing allows isNullSameAsZero=false, which needs Solr 9.2 or newer. It is written if the
	// model sends missing values and zeros to different sides. Without it, such a model is
	// refused.
	Missing bool
	// NoMissing promises that no document lacks a feature, so that it does not matter to which
	// side Solr would send missing values.
	NoMissing bool
}

// Capabilities returns what Solr can hold of a model: with Missing, Solr since 9.2.
func (o Options) Capabilities() engine.Capabilities {
	c := engine.Capabilities{Engine: "Solr before 9.2", Missing: engine.MissingZero, Float32: true}
	if o.Missing {
		c.Engine, c.Missing = "Solr", engine.MissingSide
	}
	if o.NoMissing {
		c.Missing = engine.MissingNever
	}
	return c
}

// Missing returns the rule by which a version of Solr treats missing values. A file for no
// particular version must load in all of them, so that absent values count as 0.
func Missing(loader engine.Version) engine.Missing {
	if loader.IsZero() || loader.Before(9, 2, 0) {
		return engine.MissingZero
	}
	return engine.MissingSide
}

// Write writes e, which must be valid. The bytes depend on e and o only. Errors are a
// [*engine.Refusal] for a model that Solr cannot hold, an [*Error], or those of w.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	if o.Name == "" {
		return &Error{"name", fmt.Errorf("%w: the model needs a name", errFormat)}
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
	if len(e.Trees) == 0 { // Solr requires a tree
		out.WriteString(`{"weight":"1","root":{"value":"0"}}`)
	}
	out.WriteString("]}}\n")
	return out.Flush() // a bufio.Writer keeps its first error
}

// needsSides reports whether the splits of e must name a side for missing values, which older
// versions of Solr do not load.
func (o Options) needsSides(e *tree.Ensemble) (bool, error) {
	older := o
	older.Missing = false
	err := older.Capabilities().Check(e)
	if err == nil || !o.Missing {
		return false, err
	}
	o.NoMissing = false
	return true, o.Capabilities().Check(e)
}

// featureNames returns all names as JSON strings. It checks the names that the file lists.
func featureNames(e *tree.Ensemble) ([]string, error) {
	names, seen := make([]string, len(e.Features)), map[string]bool{}
	for _, i := range listedFeatures(e) {
		name := e.Features[i].Name
		if name == "" || seen[name] {
			return nil, &Error{"features", fmt.Errorf("%w: %q, of feature %d, is empty or that of another feature too",
				ErrName, name, i)}
		}
		seen[name] = true
		names[i] = quoted(name)
	}
	return names, nil
}

// listedFeatures returns the features that the file lists: those that the model uses, or the first
// one if it uses none, because Solr requires one.
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
	digit []byte   // buffer for numbers
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

// root returns the number of the root of a tree, in the numbering of children.
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

// number writes the shortest decimal that Java's Float.parseFloat reads back as f.
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
	text, _ := json.Marshal(s) // every string has a JSON form
	return string(text)
}
