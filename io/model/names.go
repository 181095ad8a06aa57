package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/tree"
)

// Names maps the names of features in a model to those in an engine.
type Names struct {
	Path string // the file that they were read from, for errors; may be empty
	List []Name // no name may occur twice on either side
}

// Name is the name of one feature.
type Name struct {
	Model  string // the feature's name in the model
	Engine string // its name in the engine; for RankLib, its number in the feature set, from 1
	Line   int    // line of the file, from 1, for errors; 0 if there is no file
}

// ErrNames: names do not fit the model, or cannot be read from their file. The text names the place.
var ErrNames = errors.New("names of features are wrong")

// namesError gives an error the place of names: a path, which may be empty, and a line from 1, or 0 for none.
func namesError(path string, line int, err error) error {
	if path != "" {
		err = &dataset.Error{Path: path, Line: line, Err: err}
	}
	return &kindError{err, ErrNames}
}

// fail returns an error with the place of a name.
func (n *Names) fail(line int, format string, args ...any) error {
	return namesError(n.Path, line, fmt.Errorf(format, args...))
}

// ReadNames reads a file of names. Each line has a name in the model, a tab or blanks, and the name in the
// engine. Blank lines are skipped. path is used in errors, which are [ErrNames] or come from r.
func ReadNames(r io.Reader, path string) (*Names, error) {
	n := &Names{Path: path}
	scanner := bufio.NewScanner(stream.WithoutMark(r))
	for number := 1; scanner.Scan(); number++ {
		line := strings.TrimRight(scanner.Text(), " \t\r")
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, stream.Mark) {
			return nil, n.fail(number, "%q: %w", line, stream.ErrMark)
		}
		name := splitNames(line)
		if name.Line = number; name.Engine == "" {
			return nil, n.fail(number, "%q: write the model's name of a feature, a tab, and the engine's name", line)
		}
		n.List = append(n.List, name)
	}
	if err := scanner.Err(); err == bufio.ErrTooLong {
		return nil, n.fail(0, "a line is longer than %d bytes: this is not a file of names", bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, namesError(path, 0, err)
	}
	return n, nil
}

// splitNames splits a line at its first tab, or at its first blanks.
func splitNames(line string) Name {
	if old, name, found := strings.Cut(line, "\t"); found {
		return Name{Model: strings.TrimSpace(old), Engine: strings.TrimSpace(name)}
	}
	old, name, _ := strings.Cut(strings.TrimSpace(line), " ")
	return Name{Model: old, Engine: strings.TrimSpace(name)}
}

// renamed returns e with the names n, or with its own names if n is nil. No two features of the result have
// the same name. e is not changed.
func renamed(e *tree.Ensemble, n *Names) (*tree.Ensemble, error) {
	copied := *e
	copied.Features = slices.Clone(e.Features)
	if n == nil {
		return &copied, checkDistinct(&copied, "")
	}
	names, err := n.byFeature(e)
	if err != nil {
		return nil, err
	}
	if err := n.checkUsed(e, names); err != nil {
		return nil, err
	}
	for i, name := range names {
		copied.Features[i].Name = name
	}
	nameContext(&copied)
	return &copied, checkDistinct(&copied, n.Path)
}

// nameContext names the columns of query context after the features that they are computed from.
func nameContext(e *tree.Ensemble) {
	if e.Context == nil {
		return
	}
	for i, name := range e.Context.Names(e.FeatureNames()) {
		e.Features[i].Name = name
	}
}

// byFeature returns the new name of each feature that has one, by its column in e.
func (n *Names) byFeature(e *tree.Ensemble) (map[int]string, error) {
	index := make(map[string]int, len(e.Features))
	for i, feature := range e.Features {
		index[feature.Name] = i
	}
	names, lines := map[int]string{}, map[string]int{}
	for _, name := range n.List {
		i, known := index[name.Model]
		if known && e.Context != nil && i >= e.Context.Raw {
			return nil, n.fail(name.Line, "%q is query context, which is computed and named by the features that "+
				"it is made of; name those", name.Model)
		}
		if !known {
			return nil, n.fail(name.Line, "the model has no feature %q", name.Model)
		}
		if _, twice := names[i]; twice {
			return nil, n.fail(name.Line, "feature %q is there a second time", name.Model)
		}
		if before, twice := lines[name.Engine]; twice {
			return nil, n.fail(name.Line, "name %q is given a second time%s", name.Engine, after(before))
		}
		names[i], lines[name.Engine] = name.Engine, name.Line
	}
	return names, nil
}

// after names the line of a file, if there is one.
func after(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(", after line %d", line)
}

// checkUsed returns an error that lists the features that the model uses and that have no name.
func (n *Names) checkUsed(e *tree.Ensemble, names map[int]string) error {
	var missing []string
	_, used := widened.FeaturesOf(e).Raw()
	for _, i := range used {
		if _, found := names[i]; !found {
			missing = append(missing, fmt.Sprintf("%q", e.Features[i].Name))
		}
	}
	if missing == nil {
		return nil
	}
	return n.fail(0, "the model uses features that have no name there: %s", wording.List(missing, 10))
}

// checkDistinct returns an error if two features of e have the same name.
func checkDistinct(e *tree.Ensemble, path string) error {
	first := make(map[string]int, len(e.Features))
	for i, f := range e.Features {
		if before, twice := first[f.Name]; twice {
			return namesError(path, 0, fmt.Errorf("features %d and %d would both be called %q", before, i, f.Name))
		}
		first[f.Name] = i
	}
	return nil
}
