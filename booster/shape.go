package booster

import "github.com/lambdamart/lambdamart/internal/par"

// Memory returns an estimate of the memory, in bytes, that a run in one process on these bins needs, with the
// bins of all data. validRows is the number of rows of all validation sets. Models of an ensemble
// that are trained at once share the data alone.
func (p *Params) Memory(train *Bins, validRows int) int {
	rows, rowBytes, growth := train.NumRows(), train.Mapper.Bytes(1), p.growth()
	_, bins := train.Mapper.Size()
	whole := p.memoryOfRows(rows, rowBytes) + validRows*(rowBytes+perValidRow) +
		growth.MostOpen()*bins*bytesOfSum
	data := (rows + validRows) * (rowBytes + ofLabel)
	atOnce, _ := par.AtOnce(p.NumModels, rows, p.NumThreads)
	return data + bins*ofBound + atOnce*(whole-data)
}

const (
	bytesOfSum  = 8         // of the sum of a bin
	ofBound     = 24        // of a bin: its bound, and the table that finds it
	ofLabel     = 8         // bytes of a label
	ofSpread    = 8 + 4     // of integers and weights by row of the data, for each row
	ofJudging   = 2         // of the rows that judge a tree, for each row
	ofDART      = 16        // of the scores that a round changes, for each row
	perValidRow = 8 + 8 + 4 // bytes of the label, score and leaf of a row of a validation set
)

// memoryOfRows returns about how many bytes of memory a run uses for rows of this many bytes each.
func (p *Params) memoryOfRows(rows, rowBytes int) int {
	// label, score, gradients, leaf, and what objectives keep of the labels and the order of documents
	const perRow = ofLabel + 8 + 16 + 4 + 12
	const ofRun = 1 << 18    // whatever the number of rows
	const perActive = 8 + 16 // integers and places
	bytes := ofRun + rows*(rowBytes+perRow)
	share, chosen := p.lowestShare(rows), p.ActiveFraction == AutoActive
	if share < spreadShare { // copies with planes
		copied := share
		if chosen {
			copied = spreadShare
		}
		bytes += int(copied*float64(rows)) * (2*rowBytes + perActive)
	}
	stay := chosen || share >= spreadShare // the active rows of some trees
	if stay {                              // planes of all rows
		bytes += rows * (rowBytes + perActive)
	}
	if chosen && share < 1 {
		bytes += rows * ofJudging
	}
	if stay && share < 1 || p.BaggingFreq > 0 {
		bytes += rows * ofSpread
	}
	if p.Boosting == DART {
		bytes += rows * ofDART
	}
	return bytes
}
