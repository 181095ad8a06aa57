package scoring

import "fmt"

// Summary says how many rows were scored, and which features the data and the model have.
type Summary struct {
	Rows  int
	Data  int // largest feature number of the rows; 0 if they have none
	Model int // largest feature number that the model knows; -1 if it has no features
	Used  int // largest feature number that the model's scores depend on; -1 if there is none
}

func (o Output) summarize(workers []*batches) Summary {
	s := Summary{Model: o.features - 1, Used: -1}
	if n := len(o.used); n > 0 {
		s.Used = o.used[n-1]
	}
	for _, w := range workers {
		s.Rows += w.count
		s.Data = max(s.Data, int(w.largest))
	}
	return s
}

// Warnings returns a sentence where the data has features that the model does not know: it was
// probably trained on other data.
func (s Summary) Warnings() []string {
	if s.Data <= s.Model {
		return nil
	}
	return []string{fmt.Sprintf("the data has columns up to %d, the model knows them up to %d: the others are ignored", s.Data, s.Model)}
}

// Notes returns a sentence where the data lacks features that the model uses. In sparse text that
// may be right.
func (s Summary) Notes() []string {
	if s.Used <= s.Data {
		return nil
	}
	return []string{fmt.Sprintf("the data has columns up to %d, the model uses column %d: absent features count as zero", s.Data, s.Used)}
}
