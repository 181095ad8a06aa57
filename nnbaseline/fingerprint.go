package nnbaseline

import "github.com/lambdamart/lambdamart/internal/fingerprint"

// Fingerprint returns a text that identifies the values, computed by this many workers (one for each
// processor if below 1). The text is the same on all machines. first is not used and sums are 0, because
// peers cannot share the rows.
func (v *Values) Fingerprint(first, workers int) (text string, sums [2]uint64) {
	return fingerprint.Of(len(v.blocks), workers, func(h *fingerprint.Hash, part int) {
		for row := part * valueRows; row < min(v.rows, (part+1)*valueRows); row++ {
			h.Float32s(v.row(row))
		}
	}), sums
}
