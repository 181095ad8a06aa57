package table

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// TestLabelOfAModel: the place of the label in the training data counts in tables that begin like it, and not
// in others, where any column may be there and would be taken for grades.
func TestLabelOfAModel(t *testing.T) {
	model := &dataset.Features{Names: []string{"qid", "Column_1", "f1", "f2"}, Label: 2, Used: []int{2, 3}}
	byNumber := &dataset.Features{Names: wording.ColumnNames(4), Label: 2}
	for _, c := range []struct {
		names string
		model *dataset.Features
		want  string // the column of the label, or the error
	}{
		{"qid,,clicks,f1,f2", model, "clicks"},
		{"qid,a:b,clicks,f1,f2,new", model, "clicks"},
		{"qid,,clicks,f2,rel", model, "clicks"},
		{"clicks,qid,x,f1,f2", model, "clicks"},
		{"clicks,qid", model, "clicks"},
		{"rel,qid,f1,f2", model, "rel"},
		{"qid,doc,clicks,f1,f2", model, ErrQueryLabel.Error()},
		{"x,qid,rel,f1,f2", model, ErrOtherLabel.Error()},
		{"f1,qid,x,f2", model, ErrFeatureLabel.Error()},
		{"qid,,f1,f2", model, ErrQueryLabel.Error()},
		{"qid,doc,clicks,x,y", byNumber, "clicks"},
		{"x,qid,clicks,rel,y", byNumber, ErrOtherLabel.Error()},
	} {
		names := strings.Split(c.names, ",")
		f := &finder{columns: &columns{names: names, role: make([]int, len(names)), label: -1},
			taken: map[int]string{}}
		label := (&Options{Model: c.model}).findLabel(f, none)
		got := names[max(0, label)]
		var e *dataset.Error
		if errors.As(f.err, &e) {
			got = e.Err.Error()
		}
		assert.Equal(t, c.want, got, c.names)
	}
}
