package nnbaseline

import "github.com/lambdamart/lambdamart/internal/fingerprint"

// Fingerprint returns a text that only equal values have, by this many workers (one for each processor
// if below 1). The text is the same on all machines.
func (v *Values) Fingerprint(workers int) string {
	return fingerprint.Of(len(v.blocks), workers, func(h *fingerprint.Hash, part int) {
		for row := part * valueRows; row < min(v.rows, (part+1)*valueRows); row++ {
			h.Float32s(v.row(row))
		}
	})
}
