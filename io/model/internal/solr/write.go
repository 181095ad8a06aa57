package solr

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Options are the contents of the file that are not part of the model, and how missing values are written.
type Options struct {
	Name  string // name of the model in Solr; required
	Store string // feature store; Solr's default if empty

	// NoMissing promises that documents lack no features, so it does not matter where Solr sends missing
	// values.
	NoMissing bool
}

// Capabilities returns what Solr can represent. Models that send missing values and zeros to different sides
// need Solr 9.2 or newer.
func Capabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "Solr", Missing: engine.MissingSide, Float32: true}
}

//go:embed solr.tmpl
var text string

// Write writes e, which must be one that [Capabilities] allow. The bytes depend on e and o only.
// Errors are an [*Error], or come from w.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	if o.Name == "" {
		return &Error{"name", fmt.Errorf("%w: the model needs a name", ErrFormat)}
	}
	var names []string
	for _, i := range listedFeatures(e) {
		name := e.Features[i].Name
		if name == "" {
			return &Error{"features", fmt.Errorf("%w: %q, of feature %d, is empty or that of another feature too",
				ErrName, name, i)}
		}
		names = append(names, name)
	}
	sides := o.needsSides(e)
	return engine.Render(w, text, template.FuncMap{
		"name": func(f int32) string { return e.Features[f].Name }, "side": side(sides),
		"slack": slack, "decimal": decimal,
	}, map[string]any{
		"Name": o.Name, "Store": o.Store, "Names": names, "Sides": sides, "Roots": engine.Roots(e),
	})
}

// needsSides reports whether the splits of e must name a side for missing values, which would otherwise count
// as 0.
func (o Options) needsSides(e *tree.Ensemble) bool {
	c := Capabilities()
	c.Missing = engine.MissingZero
	return !o.NoMissing && c.Check(e) != nil
}

// listedFeatures returns the features in the file: those that the model uses, or the first one if it uses
// none, because Solr requires one.
func listedFeatures(e *tree.Ensemble) []int {
	used := e.UsedFeatures()
	if len(used) == 0 && len(e.Features) > 0 {
		return []int{0}
	}
	return used
}

// side returns a function that names the side of missing values, if splits must name it.
func side(needed bool) func(engine.Node) string {
	return func(n engine.Node) string {
		switch {
		case !needed:
			return ""
		case n.NaNLeft:
			return "left"
		}
		return "right"
	}
}

func slack(cut float64) string {
	y, _ := engine.Slack(cut)
	return decimal(float64(y))
}

// decimal returns the shortest decimal that Java's Float.parseFloat reads back as v rounded to float32.
func decimal(v float64) string {
	switch f := float64(float32(v)); {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	default:
		return strconv.FormatFloat(f, 'g', -1, 32)
	}
}
