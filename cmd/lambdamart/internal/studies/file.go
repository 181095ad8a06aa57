package studies

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// file is the description of an experiment.
type file struct {
	Settings []param.Setting // parameters outside the list of rankers
	Rankers  []study.RankerSpec
}

// fileError is an error in a file, with its place.
type fileError struct {
	Path         string
	Line, Column int // from 1; Column is 0 if unknown, and both are 0 for an error about the whole file
	Err          error
}

func (e *fileError) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Line, e.Column, e.Err)
}

func (e *fileError) Unwrap() error { return e.Err }

// mostBytes is the size of the largest file that is read, far more than a description needs.
const mostBytes = 1 << 20

// readFile reads an experiment from a file.
func readFile(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readExperiment(f, path)
}

// readExperiment reads an experiment from r. name is the name of the file in errors and places. Errors in the
// file are of type [*fileError].
func readExperiment(r io.Reader, name string) (*file, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > mostBytes {
		return nil, &fileError{Path: name, Err: fmt.Errorf("longer than %d bytes: not an experiment", mostBytes)}
	}
	p := &fileParser{path: name}
	root, err := p.document(string(text))
	if err != nil {
		return nil, err
	}
	return p.whole(root)
}

type fileParser struct{ path string }

func (p *fileParser) errorf(n *yaml.Node, format string, args ...any) error {
	return &fileError{p.path, n.Line, n.Column, fmt.Errorf(format, args...)}
}

func (p *fileParser) place(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", p.path, n.Line, n.Column)
}

// document parses the text and returns its mapping.
func (p *fileParser) document(text string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err == io.EOF {
		return nil, &fileError{Path: p.path, Err: errors.New("it is empty; an experiment has the keys data and " +
			"rankers")}
	} else if err != nil {
		return nil, p.syntax(err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, p.errorf(&second, "a second document; a file is one experiment")
	} else if err != io.EOF {
		return nil, p.syntax(err)
	}
	return first.Content[0], nil
}

// syntax returns a [*fileError] with the line in the message of the YAML package.
func (p *fileParser) syntax(err error) error {
	e := &fileError{Path: p.path}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(text, "line %d:", &e.Line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
	}
	e.Err = errors.New("not YAML: " + text)
	return e
}

func (p *fileParser) whole(root *yaml.Node) (*file, error) {
	f := &file{}
	err := p.each(root, "the file", func(key string, k, v *yaml.Node) (err error) {
		if key == "rankers" {
			f.Rankers, err = p.rankers(v)
			return err
		}
		f.Settings, err = p.setting(f.Settings, k, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// each calls visit for the entries of a mapping, whose keys must be distinct texts.
func (p *fileParser) each(n *yaml.Node, what string, visit func(key string, k, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.errorf(n, "%s must be a mapping, as in \"key: value\", not %s", what, describe(n))
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			return p.errorf(k, "a key must be a name, not %s", describe(k))
		}
		if before := seen[k.Value]; before != nil {
			return p.errorf(k, "%q comes twice: first in line %d", k.Value, before.Line)
		}
		seen[k.Value] = k
		if err := visit(k.Value, k, v); err != nil {
			return err
		}
	}
	return nil
}

// describe names the kind of a node.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias: write the value itself"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// setting appends the setting of a key and its value to list.
func (p *fileParser) setting(list []param.Setting, k, v *yaml.Node) ([]param.Setting, error) {
	var parts []string
	switch v.Kind {
	case yaml.SequenceNode:
		for _, item := range v.Content {
			text, err := p.scalar(item, k.Value)
			if err != nil {
				return nil, err
			}
			parts = append(parts, text)
		}
	default:
		text, err := p.scalar(v, k.Value)
		if err != nil {
			return nil, err
		}
		parts = []string{text}
	}
	return append(list, param.Setting{Name: k.Value, Value: strings.Join(parts, ","), Place: p.place(k)}), nil
}

// scalar returns the text of a value.
func (p *fileParser) scalar(n *yaml.Node, what string) (string, error) {
	found := ""
	switch {
	case n.Anchor != "":
		found = "an anchor: write the value itself"
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
		found = describe(n)
	case !slices.Contains(plainTags, n.ShortTag()):
		found = "one with the tag " + n.ShortTag()
	default:
		return n.Value, nil
	}
	return "", p.errorf(n, "%s must be a value, not %s", what, found)
}

// plainTags are the tags of values that are read as text.
var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}

// settings reads a mapping of parameters.
func (p *fileParser) settings(n *yaml.Node, what string) (list []param.Setting, err error) {
	err = p.each(n, what, func(_ string, k, v *yaml.Node) (err error) {
		list, err = p.setting(list, k, v)
		return err
	})
	return list, err
}

func (p *fileParser) rankers(n *yaml.Node) ([]study.RankerSpec, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.errorf(n, "rankers must be a list, not %s", describe(n))
	}
	var all []study.RankerSpec
	seen := map[string]bool{}
	for _, item := range n.Content {
		e, err := p.entry(item)
		if err != nil {
			return nil, err
		}
		if seen[e.Name] {
			return nil, p.errorf(item, "a second ranker %q; give one of them another name:", e.Name)
		}
		seen[e.Name] = true
		all = append(all, e)
	}
	return all, nil
}

// entry reads a ranker: its kind, or a mapping.
func (p *fileParser) entry(n *yaml.Node) (e study.RankerSpec, err error) {
	e.Place = p.place(n)
	if n.Kind != yaml.MappingNode {
		e.Kind, err = p.scalar(n, "a ranker")
		return p.named(n, e, err)
	}
	err = p.each(n, "a ranker", func(key string, k, v *yaml.Node) (err error) {
		switch key {
		case "name":
			e.Name, err = p.name(v, "name")
		case "ranker":
			e.Kind, err = p.scalar(v, key)
		case "parameters":
			e.Settings, err = p.settings(v, key)
		case "variants":
			e.Variants, err = p.variants(v)
		default:
			err = p.errorf(k, "%q: unknown key; a ranker has name, ranker, parameters and variants", key)
		}
		return err
	})
	return p.named(n, e, err)
}

// named sets the name of a ranker to its kind if it has none.
func (p *fileParser) named(n *yaml.Node, e study.RankerSpec, err error) (study.RankerSpec, error) {
	if err == nil && e.Kind == "" {
		err = p.errorf(n, "a ranker without its kind; write ranker: %s", study.Kinds()[0])
	}
	if e.Name == "" {
		e.Name = e.Kind
	}
	return e, err
}

// namePattern matches the names of rankers and variants, which are parts of file names.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

func (p *fileParser) name(n *yaml.Node, what string) (string, error) {
	name, err := p.scalar(n, what)
	if err != nil {
		return "", err
	}
	if !namePattern.MatchString(name) || len(name) > 60 {
		return "", p.errorf(n, "%q: a name has up to 60 letters of A to Z, digits and . _ + -", name)
	}
	return name, nil
}

func (p *fileParser) variants(n *yaml.Node) (all []study.RankerVariant, err error) {
	err = p.each(n, "variants", func(_ string, k, v *yaml.Node) error {
		name, err := p.name(k, "a variant")
		if err != nil {
			return err
		}
		settings, err := p.settings(v, "variant "+name)
		all = append(all, study.RankerVariant{Name: name, Settings: settings})
		return err
	})
	if err == nil && len(all) == 0 {
		err = p.errorf(n, "variants without any; leave the key out")
	}
	return all, err
}
