package study

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
)

// Data is the data of a study: what it trains on, and what its training runs are evaluated on.
type Data struct {
	Train booster.Data
	Valid *booster.Data // validation set for all runs, with the bins of Train; nil: Folds are used
	Folds Folds         // each fold validates the run on all others; ignored if there is a validation set

	loaded *data.Loaded // of which the sets are; nil if the caller has made them
}

// On returns the data of a study: the training data of d, judged by its first validation set or, if it has
// none, by the folds.
func On(d *data.Loaded, folds Folds) Data {
	on := Data{Train: setOf(d.Training), Folds: folds, loaded: d}
	if len(d.Validation) > 0 {
		valid := setOf(d.Validation[0])
		on.Valid = &valid
	}
	return on
}

func setOf(s *data.Set) booster.Data { return booster.Data{Name: s.Name, Meta: s.Meta, Values: s.Bins} }

// parts returns the part of each run. With a validation set there is one, which trains on all queries.
func (d *Data) parts() ([]part, error) {
	if d.Valid == nil {
		return newParts(d.Train, d.Folds)
	}
	if !d.Valid.Meta.AnyPairs() && d.Valid.Meta.Pairs == nil {
		return nil, fmt.Errorf("%s: in none of the queries do the grades of documents differ, so nothing "+
			"can be judged by it; give validation data with judgments", d.Valid.Name)
	}
	p := part{Name: d.Valid.Name, Other: d.Valid, whole: d.Train}
	for query := range d.Train.Meta.Queries {
		p.Train = append(p.Train, query)
	}
	return []part{p}, nil
}

// part divides a data set into training and validation queries. Their rows are copied when they are needed.
type part struct {
	Name  string
	Train []int // queries to train on, ascending
	Valid []int // queries to validate on; nil if Other is given
	Other *booster.Data

	whole  booster.Data
	weight float64 // of the validation queries that the decisive metric counts
}

// newParts returns a part for each fold of the data. It validates on the fold's queries and trains on all
// others.
func newParts(d booster.Data, folds Folds) ([]part, error) {
	if err := folds.check(d.Meta); err != nil {
		return nil, err
	}
	parts := make([]part, len(folds.Names))
	for fold, name := range folds.Names {
		in, out := folds.queries(fold)
		parts[fold] = part{Name: name, Train: out, Valid: in, whole: d}
	}
	return parts, nil
}

// sampleParts returns parts with a share of the training queries, drawn with the seed. A query in a share is
// also in every larger share.
func sampleParts(parts []part, share float64, seed uint64) []part {
	key, sampled := random.New(seed, random.QueryShare, 0), slices.Clone(parts)
	for i := range sampled {
		left := func(query int) bool { return key.Float64(query) >= share }
		sampled[i].Train = slices.DeleteFunc(slices.Clone(sampled[i].Train), left)
	}
	return sampled
}

// trainData returns the training data.
func (p *part) trainData() booster.Data {
	if len(p.Train) == len(p.whole.Meta.Queries) {
		return p.whole
	}
	return p.selected("train", p.Train)
}

// called returns what messages call the part.
func (p *part) called() string {
	if p.Other != nil {
		return p.Name
	}
	return "fold " + p.Name
}

// validMeta returns the description of the validation data.
func (p *part) validMeta() *dataset.Meta {
	if p.Other != nil {
		return p.Other.Meta
	}
	return p.whole.Meta.Select(p.Valid)
}

// weigh returns which validation queries a metric counts, and with which weights. The error is [ErrFolds] if
// no query counts.
func (p *part) weigh(m metric.Metric, threads int) (*metric.Result, error) {
	w, err := metric.Weigh(m, p.validMeta(), threads)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.called(), err)
	}
	if !(w.Weight > 0) {
		return nil, fmt.Errorf("%w: %s has %s, and none counts by %s (%s)",
			ErrFolds, p.called(), wording.Count(w.Queries, "query"), w.Metric, w.Rules)
	}
	return w, nil
}

// validationWeights returns the weights of the validation queries of parts in the mean of a metric, in the
// order of [perQuery], or nil if all are equal, and their sum in each part. The error wraps [ErrFolds] if a
// part has no query that counts, or [metric.ErrBareQueries]. A label that is the same in all documents is an
// error too.
func validationWeights(parts []part, m metric.Metric, threads int) (all, sums []float64, err error) {
	if parts[0].Other == nil { // the rows of an error are those of the data, not of a fold
		if _, err := metric.Weigh(m, parts[0].whole.Meta, threads); err != nil {
			return nil, nil, err
		}
	}
	label := metric.LabelOf(m)
	differs := label == "" || metric.ReadsPairs(m) // only labels with a name are looked at
	for i := range parts {
		if !differs {
			labeled, err := parts[i].validMeta().WithLabels(label)
			differs = err != nil || labeled.AnyPairs()
		}
		w, err := parts[i].weigh(m, threads)
		if err != nil {
			return nil, nil, err
		}
		all, sums = append(all, queryWeights(w.Weights, w.Queries)...), append(sums, w.Weight)
	}
	if !differs {
		return nil, nil, fmt.Errorf("in none of the validation queries does the label %s of documents differ, so "+
			"nothing can be judged by %s; give validation data with judgments", label, m.Name())
	}
	if slices.Min(all) == slices.Max(all) {
		all = nil
	}
	return all, sums, nil
}

// queryWeights returns the weights of this many queries, which are 1 each if weights is nil.
func queryWeights(weights []float64, queries int) []float64 {
	if weights == nil {
		return slices.Repeat([]float64{1}, queries)
	}
	return weights
}

// validData returns the validation data.
func (p *part) validData() booster.Data {
	if p.Other != nil {
		return *p.Other
	}
	return p.selected("valid", p.Valid)
}

func (p *part) selected(name string, queries []int) booster.Data {
	meta := p.whole.Meta
	return booster.Data{Name: name, Meta: meta.Select(queries),
		Values: p.whole.Values.Select(meta.RowsOf(queries))}
}

// narrowParts returns parts that share everything with the given ones, including bins, except that all
// features for which keep returns false become constant, so no tree uses them. The given parts do not change.
func narrowParts(parts []part, keep func(feature int) bool) []part {
	bins, narrowed := parts[0].whole.Values, slices.Clone(parts) // all have the same rows and bins
	mapper := bins.Mapper.Narrow(len(bins.Mapper.Features), keep)
	bins = bins.Narrow(mapper)
	for i := range narrowed {
		p := &narrowed[i]
		p.whole.Values = bins
		if p.Other != nil {
			other := *p.Other
			other.Values = other.Values.Narrow(mapper)
			p.Other = &other
		}
	}
	return narrowed
}

// identify writes to a hash everything that distinguishes data for training: a fingerprint of the bins of all
// rows, and all else that training runs learn from. It uses this many workers for the fingerprint, or one for
// each processor if workers is below 1.
func identify(w io.Writer, d booster.Data, workers int) {
	fmt.Fprintln(w, d.Meta.Queries, d.Meta.Labels, d.Meta.Weights, d.Meta.InitialScores, d.Meta.LabelName,
		d.Meta.More,
		d.Meta.Positions, d.Meta.PositionNames)
	if d.Meta.Pairs != nil {
		fmt.Fprintln(w, d.Meta.Pairs)
	}
	numbers, bounds, bins := d.Values.Fingerprint(0, workers)
	fmt.Fprintf(w, "%q %s%s%v\n", d.Meta.Features, numbers, bounds, fingerprint.Sum(bins))
}

// identifyParts writes to a hash everything that distinguishes the parts of one data set.
func identifyParts(w io.Writer, parts []part, workers int) {
	identify(w, parts[0].whole, workers)
	for _, part := range parts {
		fmt.Fprintln(w, part.Train, part.Valid)
		if part.Other != nil {
			identify(w, *part.Other, workers)
		}
	}
}

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
