// Package model reads a model in any format that is known, told by its content.
// The packages of the formats say how each is read:
//
//	io/model/lightgbm     LightGBM's text, and the JSON of dump_model
//	io/model/xgboost      XGBoost's JSON and UBJSON (save_model), and dumps in JSON
//	io/model/ranklib      RankLib's LambdaMART and MART
//	io/model/quickrank    QuickRank's ensembles of trees
//	io/model/solr         Solr's JSON
//	io/model/onnx         ONNX
//	io/model/sourcecode       Go and C source, as lambdamart exports it
package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/io/model/onnx"
	"github.com/lambdamart/lambdamart/io/model/quickrank"
	"github.com/lambdamart/lambdamart/io/model/ranklib"
	"github.com/lambdamart/lambdamart/io/model/solr"
	"github.com/lambdamart/lambdamart/io/model/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/xgboost"
	"github.com/lambdamart/lambdamart/tree"
)

// Format is a format of model files.
type Format int

// The formats.
const (
	LightGBMText  Format = iota + 1 // io/model/lightgbm
	LightGBMJSON                    // io/model/lightgbm: dump_model
	XGBoostJSON                     // io/model/xgboost: save_model
	XGBoostUBJSON                   // the same
	XGBoostDump                     // io/model/xgboost: get_dump
	RankLib                         // io/model/ranklib
	QuickRank                       // io/model/quickrank
	SolrJSON                        // io/model/solr
	ONNX                            // io/model/onnx
	GoSource                        // io/model/sourcecode
	CSource                         // the same
)

// formats tells the name of each format, and how it is read.
var formats = map[Format]struct {
	name string
	read func(io.Reader) (*tree.Ensemble, error)
}{
	LightGBMText:  {"LightGBM text", lightgbm.Read},
	LightGBMJSON:  {"LightGBM JSON", lightgbm.ReadJSON},
	XGBoostJSON:   {"XGBoost JSON", xgboost.Read},
	XGBoostUBJSON: {"XGBoost UBJSON", xgboost.Read},
	XGBoostDump:   {"XGBoost JSON dump", xgboost.Read},
	RankLib:       {"RankLib XML", ranklib.Read},
	QuickRank:     {"QuickRank XML", quickrank.Read},
	SolrJSON:      {"Solr JSON", solr.Read},
	ONNX:          {"ONNX", onnx.Read},
	GoSource:      {"Go source", sourcecode.Read},
	CSource:       {"C source", sourcecode.Read},
}

func (f Format) String() string { return formats[f].name }

// ErrUnknown says that a file is in no format that is known.
var ErrUnknown = errors.New("not a model in a known format, which are LightGBM's text and JSON (dump_model), XGBoost's JSON and UBJSON " +
	"(save_model) and its JSON dumps, RankLib's and QuickRank's XML, Solr's JSON, ONNX, and Go and C source that lambdamart exported")

// ReadFile reads the model in a file.
func ReadFile(path string) (*tree.Ensemble, Format, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("model: %w", err)
	}
	defer f.Close()
	e, format, err := Read(f)
	if err != nil {
		return nil, format, fmt.Errorf("%s: %w", path, err)
	}
	return e, format, nil
}

// Read reads a model. Errors are those of the format's package, or wrap
// [ErrUnknown].
func Read(r io.Reader) (*tree.Ensemble, Format, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, fmt.Errorf("model: %w", err)
	}
	format, err := Detect(data)
	if err != nil {
		return nil, 0, err
	}
	e, err := formats[format].read(bytes.NewReader(data))
	return e, format, err
}

// Detect tells the format of a file by its content, or returns an error that
// wraps [ErrUnknown] and names a format that it may be taken for.
func Detect(data []byte) (Format, error) {
	text := bytes.TrimLeft(data, " \t\r\n\ufeff")
	begins := func(with string) bool { return bytes.HasPrefix(text, []byte(with)) }
	switch {
	case document.IsUBJSON(data):
		return XGBoostUBJSON, nil
	case solr.Is(text):
		return SolrJSON, nil
	case onnx.Is(data):
		return ONNX, nil
	case sourcecode.Is(data, sourcecode.Go):
		return GoSource, nil
	case sourcecode.Is(data, sourcecode.C):
		return CSource, nil
	case begins("{"):
		return detectObject(data), nil
	case begins("["):
		return XGBoostDump, nil
	case begins("tree\n"), begins("tree\r\n"):
		return LightGBMText, nil
	case begins("##"), begins("<ensemble"):
		return RankLib, nil
	case begins("<?xml"), begins("<ranker"):
		return QuickRank, nil
	}
	return 0, unknown(string(text))
}

// detectObject tells the formats apart that are a JSON object. Each has a key that
// the others do not have; what has none of them is refused by the reader of the
// last.
func detectObject(data []byte) Format {
	switch {
	case bytes.Contains(data, []byte(`"tree_structure"`)):
		return LightGBMJSON
	case bytes.Contains(data, []byte(`"learner"`)):
		return XGBoostJSON
	}
	return XGBoostDump
}

// unknown tells what a file seems to be.
func unknown(text string) error {
	for _, known := range []struct{ begin, hint string }{
		{"binf", "it looks like XGBoost's old binary format: save it as .json or .ubj"},
		{"CBM1", "it looks like a CatBoost model, which is not read"},
		{"booster[", "it looks like XGBoost's text dump: dump it with dump_format=\"json\""},
		{"\x80", "it looks like a Python pickle: save the model itself"},
		{"PK\x03\x04", "it looks like a zip archive"},
		{"", ""},
	} {
		if strings.HasPrefix(text, known.begin) && text != "" {
			if known.hint == "" {
				return fmt.Errorf("it begins with %q: %w", document.Clip(text), ErrUnknown)
			}
			return fmt.Errorf("%s; %w", known.hint, ErrUnknown)
		}
	}
	return fmt.Errorf("it is empty: %w", ErrUnknown)
}
