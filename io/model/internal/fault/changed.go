package fault

import (
	"bytes"
	"fmt"
	"strings"
)

// Changed compares text, a file from which a model was read, with again, what is written of that model.
// Unless they are equal it returns an error of the given kind, and the number of the first other line, from
// 1, or 0 if text lacks the end.
func Changed(text, again []byte, kind error) (line int, err error) {
	if bytes.Equal(text, again) {
		return 0, nil
	}
	want := strings.Split(string(again), "\n")
	for i, line := range strings.Split(string(text), "\n") {
		if i >= len(want) || line != want[i] {
			return i + 1, fmt.Errorf("%w: %.80q is not what lambdamart writes; export the model again", kind, line)
		}
	}
	return 0, fmt.Errorf("%w: the end is missing", kind)
}
