package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// Options determine how a model is exported. The zero value is for a file with the model's names, without
// test vectors.
type Options struct {
	// NoMissing promises that the engine will see no missing values, so its rule for them does not matter.
	NoMissing bool

	// Precomputed promises that the rows in the engine contain the columns of the model's query context, as
	// lambdamart transform writes them. Otherwise targets that see one document at a time refuse models with
	// query context, and source code gets a function for the documents of a query.
	Precomputed bool

	// NoCalibration leaves out the calibration of the model. Otherwise targets without probabilities refuse a
	// model that has one.
	NoCalibration bool

	// Names are the names of features in the file. They must include every feature that the model uses. nil
	// keeps the names of the model.
	Names *Names

	// Vectors is the number of test vectors to generate.
	Vectors int
	// Seed determines the test vectors.
	Seed uint64
	// Source is the SHA-256 of the model's own file, in hexadecimal, to record in the
	// test vectors. It may be empty.
	Source string

	// Settings are values of the target's own parameters, such as model_name=ranker; see [Target.Options].
	Settings []param.Setting
}

const group = "Export"

// Table returns parameters that are bound to o: first those of all targets, and then those of single targets,
// which are stored in Settings.
func (o *Options) Table() param.Table {
	rows := param.Table{
		{Name: "vectors", Group: group,
			Help:  "Test vectors to write: rows, and the scores that the engine must give them.",
			Value: bind.Int(&o.Vectors, bind.AtLeast(0))},
		{Name: "no_missing", Group: group,
			Help: "The engine will see no missing values: write the model although the engine would " +
				"treat them differently.",
			Value: bind.Bool(&o.NoMissing)},
		{Name: "no_calibration", Group: group,
			Help:  "Leave out the calibration of the model: write a file that gives scores alone.",
			Value: bind.Bool(&o.NoCalibration)},
	}
	for _, row := range defaultChoices().table() {
		row.Value = &setting{row.Value, row.Name, &o.Settings}
		rows = append(rows, row)
	}
	return rows
}

// setting is the value of a parameter of a target. It is checked immediately but stored as text, because the
// target may not be known yet.
type setting struct {
	param.Value
	name string
	dst  *[]param.Setting
}

func (s *setting) Set(text string) error {
	if err := s.Value.Set(text); err != nil {
		return err
	}
	*s.dst = slices.DeleteFunc(*s.dst, func(other param.Setting) bool { return other.Name == s.name })
	*s.dst = append(*s.dst, param.Setting{Name: s.name, Value: text})
	return nil
}

// ErrOptions: an export is impossible with the given options, whatever the model.
var ErrOptions = errors.New("an export is impossible with these options")

func optionErrorf(format string, args ...any) error {
	return &kindError{fmt.Errorf(format, args...), ErrOptions}
}

// Check returns an [ErrOptions] if there is no target of that name, or if it cannot be written with the
// options, whatever the model.
func (o *Options) Check(target string) error {
	t, err := findTarget(target)
	if err == nil {
		_, err = newExport(t, *o)
	}
	return err
}

// export is one export: a target with its options.
type export struct {
	Options
	target Target
	writer writer
}

// newExport checks and applies the options. Errors are [ErrOptions].
func newExport(t Target, o Options) (*export, error) {
	if err := checkSettings(t, o); err != nil {
		return nil, err
	}
	c := defaultChoices()
	c.noMissing = o.NoMissing
	if _, err := c.table().Apply(o.Settings); err != nil {
		return nil, &kindError{err, ErrOptions}
	}
	x := &export{o, t, t.entry.writer(c)}
	x.writer.format = cmp.Or(x.writer.format, t.Format)
	x.writer.scoring = cmp.Or(x.writer.scoring, t.entry.scoring)
	x.writer.capabilities.MissingIsZero = x.writer.capabilities.MissingIsZero && !o.NoMissing
	return x, nil
}

// checkSettings refuses settings that the target does not have, and settings that contradict the names.
func checkSettings(t Target, o Options) error {
	rows := t.Options()
	for _, s := range o.Settings {
		row := rows.Find(s.Name)
		switch {
		case !t.entry.anyBytes && !utf8.ValidString(s.Value):
			return optionErrorf("%s=%q: it is not UTF-8, as texts in such files are", s.Name, s.Value)
		case row == nil:
			return optionErrorf("%s has no meaning for to=%s", s.Name, t.Name)
		case row.Name == t.entry.numbering && o.Names != nil:
			return optionErrorf("features and %s both number the features; give one of them", row.Name)
		}
	}
	return nil
}
