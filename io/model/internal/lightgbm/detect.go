package lightgbm

import (
	"bytes"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// Is reports whether data, the content of a file, looks like a model text.
func Is(data []byte) bool {
	line, _, more := bytes.Cut(document.TrimLeft(data), []byte("\n"))
	return more && string(bytes.TrimSuffix(line, []byte("\r"))) == firstLine
}

// IsJSON reports whether data, the content of a file, looks like the JSON of dump_model.
func IsJSON(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"tree_structure"`))
}
