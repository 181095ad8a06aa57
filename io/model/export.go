package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/tree"
)

// Exported is the result of an export.
type Exported struct {
	Content []byte         // the bytes of the file
	Model   *tree.Ensemble // the model with the feature names of the file
	Vectors *Vectors       // the test vectors; nil if none were asked for
	Notes   []string       // remarks for the user, such as thresholds that the format cannot hold
}

// Write writes e as LightGBM's text, the format in which this program keeps its models. Errors are
// [*tree.InvalidError], or come from w.
func Write(w io.Writer, e *tree.Ensemble) error { return lightgbm.Write(w, e) }

// Export converts e for the target with the given name (see [Targets]). It renames the features, checks that
// the target and the engine can represent the model, and renders the file. If the format can be read, it also
// reads the file back and scores test vectors with it. e is not changed.
//
// Errors are [ErrOptions] for options that do not fit the target, [ErrNames] for names that do not fit the
// model, [ErrUnsupported] for a model that the target or the engine cannot represent, and [ErrVerify] if the
// file does not score like the model, which would be a bug.
func Export(e *tree.Ensemble, target string, o Options) (*Exported, error) {
	t, err := findTarget(target)
	if err != nil {
		return nil, fmt.Errorf("to=%s: %w", target, err)
	}
	x, err := newExport(t, o)
	if err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if o.Precomputed {
		e = e.Precomputed()
	}
	if o.NoCalibration {
		e = e.Calibrated(nil)
	}
	if err := x.checkHeld(e); err != nil {
		return nil, err
	}
	if e, err = x.rename(e); err != nil {
		return nil, err
	}
	if err := x.checkText(e); err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if err := x.writer.write(&content, e); err != nil {
		return nil, err
	}
	if err := x.verify(e, content.Bytes()); err != nil {
		return nil, err
	}
	done := &Exported{Content: content.Bytes(), Model: e}
	if notes := t.entry.notes; notes != nil {
		done.Notes = notes(e, content.Len())
	}
	if prediction, _ := e.Outputs(); prediction != nil && !strings.HasPrefix(t.entry.name, "lightgbm") {
		done.Notes = append(done.Notes, "the engine gives sums of trees, which lambdamart predict and LightGBM "+
			"transform for objective="+e.Objective+"; see predict_raw_score")
	}
	if text := textsNote(e); text != "" && !strings.HasPrefix(t.entry.name, "lightgbm") {
		done.Notes = append(done.Notes, text)
	}
	if o.Vectors > 0 {
		done.addVectors(x.vectorsOf(e, o.Vectors))
	}
	return done, nil
}

// textsNote returns a remark if splits of e know categories by texts, which the file has as numbers: an
// engine takes other numbers, such as the codes of a data frame, without an error.
func textsNote(e *tree.Ensemble) string {
	for f := range len(e.Features) {
		if words := e.Dictionaries[f]; len(words) > 0 && e.CategoricalFeatures()[f] {
			return fmt.Sprintf("the file has no texts: a category is the number of its text in the model's line "+
				"pandas_categorical, such as 0 for %q of %s, and -1 for another text; codes of a data frame "+
				"whose categories have another order give wrong scores without an error", words[0], e.Features[f].Name)
		}
	}
	return ""
}

// rename returns e with the names of the engine.
func (x *export) rename(e *tree.Ensemble) (*tree.Ensemble, error) {
	e, err := renamed(e, x.Names)
	if err != nil || x.Names == nil || x.target.entry.place == nil {
		return e, err
	}
	if e, err = x.target.entry.place(e); err != nil {
		return nil, namesError(x.Names.Path, 0, err)
	}
	return e, nil
}

// checkText refuses names that are not UTF-8 in formats that require it: a JSON
// writer would replace their bytes.
func (x *export) checkText(e *tree.Ensemble) error {
	if x.target.entry.anyBytes {
		return nil
	}
	for i, f := range e.Features {
		if !utf8.ValidString(f.Name) {
			return namesError("", 0, fmt.Errorf("feature %d, %q, has a name that is not UTF-8; features=FILE gives "+
				"it another one", i, f.Name))
		}
	}
	return nil
}

// checkHeld refuses a model that the file cannot represent.
func (x *export) checkHeld(e *tree.Ensemble) error {
	err := x.writer.capabilities.Check(e)
	if errors.Is(err, engine.ErrMissing) {
		err = fmt.Errorf("%w; with no_missing=true it is written for rows without missing values", err)
	}
	return err
}

// vectorsOf generates test vectors for a model with the names of the engine.
func (x *export) vectorsOf(e *tree.Ensemble, rows int) *Vectors {
	o := rowOptions{scoring: x.writer.scoring, Rows: rows, Seed: x.Seed, Missing: !x.NoMissing}
	if exclude := x.writer.exclude; exclude != nil {
		o.Exclude = exclude(e)
	}
	set := generate(e, o)
	set.Target, set.Model = x.target.Name, x.Source
	return set
}

// addVectors adds the test vectors and a note on how much of the model they cover.
func (x *Exported) addVectors(set *Vectors) {
	x.Vectors = set
	taken, sides := set.coverage(x.Model)
	x.Notes = append(x.Notes, fmt.Sprintf("%s take %s of the %s ways out of the model's splits",
		wording.Count(len(set.Rows), "vector"), wording.Thousands(taken), wording.Thousands(sides)))
}
