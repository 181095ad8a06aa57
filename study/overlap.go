package study

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
)

// Overlap counts validation queries that are also among the training queries.
type Overlap struct {
	Queries int // number of validation queries
	Same    int // number with the id, the labels and the bins of a training query
	IDs     int // number with the id of a training query
	Content int // number with the labels and the bins of a training query of several documents
}

// FindOverlap compares two sets with the same bins. If queries have no ids other than their numbers, ids are
// not compared.
func FindOverlap(train, valid booster.Data) Overlap {
	contents, byID := map[[32]byte]bool{}, map[string][32]byte{}
	ofTrain, ofValid := train.Values.RowBytes(), valid.Values.RowBytes()
	for number, q := range train.Meta.Queries {
		content := contentOf(train, ofTrain, number)
		contents[content], byID[q.ID] = true, content
	}
	o := Overlap{Queries: len(valid.Meta.Queries), IDs: sharedIDs(train.Meta, valid.Meta)}
	for number, q := range valid.Meta.Queries {
		content := contentOf(valid, ofValid, number)
		if o.IDs > 0 && byID[q.ID] == content {
			o.Same++
		}
		if q.Len > 1 && contents[content] {
			o.Content++
		}
	}
	return o
}

// sharedIDs returns the number of validation queries whose id a training query has. It is 0 if the ids of
// either set are only numbers of queries.
func sharedIDs(train, valid *dataset.Meta) (n int) {
	if !hasIDs(train) || !hasIDs(valid) {
		return 0
	}
	ids := map[string]bool{}
	for _, q := range train.Queries {
		ids[q.ID] = true
	}
	for _, q := range valid.Queries {
		if ids[q.ID] {
			n++
		}
	}
	return n
}

// hasIDs reports whether queries have ids. Without ids, the data has the numbers of the queries instead.
func hasIDs(m *dataset.Meta) bool {
	for i, q := range m.Queries {
		if q.ID != strconv.Itoa(i) {
			return true
		}
	}
	return false
}

// contentOf returns a hash of the labels and bins of a query.
func contentOf(d booster.Data, appendRow func(dst []byte, row int) []byte, number int) [32]byte {
	q := d.Meta.Queries[number]
	var bytes []byte
	for row := q.First; row < q.First+q.Len; row++ {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(d.Meta.Labels[row]))
		bytes = appendRow(bytes, row)
	}
	return sha256.Sum256(bytes)
}
