package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// ErrUnknown: a file is not in a supported format.
var ErrUnknown = errors.New("not a model in a known format, which are " + phrases())

// phrases lists the formats that can be read.
func phrases() string {
	var list []string
	for i := range table {
		if p := table[i].phrase; p != "" {
			list = append(list, p)
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + ", and " + list[last]
}

// sign is how reliably a format recognizes a file. Some formats have a unique mark, but several are JSON
// objects that differ only in keys somewhere inside.
type sign int

const (
	byOpening sign = iota + 1 // the first character fits
	byKey                     // a key of the format occurs
	byMark                    // a mark that no other format has occurs
)

// HeadSize is the number of bytes at the beginning of a file that [Detect] needs to decide whether the file
// is a model.
const HeadSize = 512

// Detect returns the format of a file by its content. For an unknown format, the error wraps [ErrUnknown] and
// may suggest what the file is.
//
// The first [HeadSize] bytes are enough to decide whether there is an error, but not always to distinguish
// formats that are JSON objects.
func Detect(data []byte) (Format, error) {
	found := find(data)
	if found == nil {
		return "", unknown(string(document.TrimLeft(data)))
	}
	return found.format, nil
}

// find returns the entry that recognizes data most reliably, the first of several equal ones, or nil if none
// does.
func find(data []byte) *entry {
	var best *entry
	for i := range table {
		if e := &table[i]; (best == nil || e.sign > best.sign) && e.is(data) {
			best = e
		}
	}
	return best
}

// unknown returns the error for a file in no supported format.
func unknown(text string) error {
	if text == "" {
		return fmt.Errorf("it is empty: %w", ErrUnknown)
	}
	for _, other := range []struct{ begin, hint string }{
		{"binf", "it looks like XGBoost's old binary format: save it as .json or .ubj"},
		{"<PMML", gone.Why(gone.File, gone.PMML)},
		{"<ranker", gone.Why(gone.File, gone.QuickRank)},
		{"<?xml", gone.Why(gone.File, gone.QuickRank)},
		{"CBM1", "it looks like a CatBoost model, which is not read"},
		{"booster[", "it looks like XGBoost's text dump: dump it with dump_format=\"json\""},
		{"\x80", "it looks like a Python pickle: save the model itself"},
		{"PK\x03\x04", "it looks like a zip archive"},
	} {
		if strings.HasPrefix(text, other.begin) {
			return fmt.Errorf("%s; %w", other.hint, ErrUnknown)
		}
	}
	return fmt.Errorf("it begins with %q: %w", document.Clip(text), ErrUnknown)
}
