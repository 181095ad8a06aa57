package model

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/tree"
)

// ErrVerify: the exported file does not score like the model. This is a bug of this
// package; nothing is written.
var ErrVerify = errors.New("what would be written does not score like the model")

func verifyErrorf(format string, args ...any) error {
	return &kindError{fmt.Errorf(format, args...), ErrVerify}
}

// verifiedRows is the smallest number of test vectors that an export is verified with.
const verifiedRows = 200

// verify reads the content back, if the format can be read, and scores test vectors with it, so that a bug
// here does not reach an engine.
func (x *export) verify(e *tree.Ensemble, content []byte) error {
	if !isRead(x.writer.format) {
		return nil
	}
	back, format, err := Read(bytes.NewReader(content))
	switch {
	case err != nil:
		return verifyErrorf("what would be written cannot be read back; please report this: %w", err)
	case format != x.writer.format:
		return verifyErrorf("what would be written is read as %v; please report this", format)
	}
	v, err := x.vectorsOf(e, max(x.Vectors, verifiedRows)).check(back)
	switch {
	case err != nil:
		return verifyErrorf("what would be written has other features; please report this: %w", err)
	case v.Different > 0:
		return verifyErrorf("what would be written scores %d of %d test vectors otherwise, by up to %g; nothing "+
			"was written; please report this", v.Different, len(v.Scores), v.Worst)
	}
	return nil
}

// Verified is the result of the verification of a file.
type Verified struct {
	Model   *tree.Ensemble // read from the file
	Format  Format         // of the file
	Vectors *Vectors
	Scores  []float64 // of Model, one for each row of Vectors

	Different int     // number of rows whose score differs from the engine's
	First     int     // first row that differs, from 0; -1 if none does
	Worst     float64 // largest difference; NaN counts as infinite
	WorstRow  int     // row of the largest difference, from 0; -1 if none differs
}

// VerifyFile reads an exported model as the engine loads it, and compares its scores, in the arithmetic of
// the engine, with those of test vectors. The vectors are in the file vectorsPath, by default path followed
// by [VectorsEnding]. Differences are part of the result and not an error. Errors name the file; for a format
// that is only written, the error says how its engine scores the vectors.
func VerifyFile(path, vectorsPath string) (*Verified, error) {
	if vectorsPath == "" {
		vectorsPath = path + VectorsEnding
	}
	e, format, err := ReadFile(path)
	var written *writtenError
	if errors.As(err, &written) {
		return nil, fmt.Errorf("%s: %v is not read here; its test vectors are in %s: %s", path, written.format,
			vectorsPath, written.run)
	}
	if err != nil {
		return nil, err
	}
	set, err := readVectorsFile(vectorsPath)
	if err != nil {
		return nil, err
	}
	v, err := set.check(e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v.Format = format
	return v, nil
}
