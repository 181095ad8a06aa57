package scoring

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
)

// Summary reports how many rows were scored, and which features the data and the model have. Features of
// query context are not counted, because they are computed.
type Summary struct {
	Rows  int
	Data  int // largest feature number of the rows; 0 if they have none
	Model int // largest feature number that the model knows; -1 if it has no features
	Used  int // largest feature number that the model's scores depend on; -1 if there is none

	Noticed []string // what the reader of a stream noticed about its cells, one sentence each
}

func (o Output) summarize(workers []*batches) Summary {
	total, used := o.features.Raw()
	s := Summary{Model: total - 1, Used: -1}
	if n := len(used); n > 0 {
		s.Used = used[n-1]
	}
	for _, w := range workers {
		s.Rows += w.count
		s.Data = max(s.Data, int(w.largest))
	}
	return s
}

// OfAll returns the summary of the rows of all ranks that share the data, except that Noticed remains that of
// this rank. It is a collective.
func (s Summary) OfAll(part *dataset.Part) Summary {
	g := part.Group()
	s.Rows, s.Data = g.SumOf(s.Rows), g.MaxOf(s.Data)
	return s
}

// Remarks returns sentences for the user. Warnings are what was noticed about the cells, and that the data
// has features that the model does not know, in which case the model was probably trained on other data. A
// note says that the data lacks features that the model uses, which is not unusual in sparse text.
func (s Summary) Remarks() (warnings, notes []string) {
	warnings = s.Noticed
	if s.Data > s.Model {
		warnings = append(slices.Clone(warnings), fmt.Sprintf("the data has columns up to %d, the model knows "+
			"them up to %d: the others are ignored", s.Data, s.Model))
	}
	if s.Used > s.Data {
		notes = []string{fmt.Sprintf("the data has columns up to %d, the model uses column %d: absent features "+
			"count as zero", s.Data, s.Used)}
	}
	return warnings, notes
}
