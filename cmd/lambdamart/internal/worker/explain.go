package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/lambdamart/lambdamart"
	command "github.com/lambdamart/lambdamart/cmd/lambdamart/internal/explain"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// explain explains rankings of a set by the model in the payload, as the command explain does. The payload
// of the result is its JSON. Queries have the names in the request, and a document is known by its row in
// the set, from 0.
func (s *server) explain(ctx context.Context, q *request) (event, []byte, error) {
	if len(q.Sets) != 1 || !q.Sets[0].inMemory() {
		return nil, nil, errors.New("rankings of one set of arrays are explained")
	}
	m, err := lambdamart.ReadModelFrom(bytes.NewReader(q.payload))
	if err != nil {
		return nil, nil, err
	}
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return nil, nil, errNetwork
	}
	p := command.Default()
	if err := configureExplain(p, q); err != nil {
		return nil, nil, err
	}
	set := &q.Sets[0]
	set.queryNames, set.docs = q.Names, rowNumbers(set.Rows)
	in, release, err := set.input(p.Options.Workers)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	r, err := p.Of(ctx, trees, in.Source)
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	err = r.WriteJSON(&out)
	return event{"notes": notNil(r.Notes)}, out.Bytes(), err
}

// configureExplain sets the parameters of the command, except for those of files.
func configureExplain(p *command.Params, q *request) error {
	table := p.Table()
	var settings []param.Setting
	for _, s := range q.Params {
		if row := table.Find(s.Name); row != nil && (row.Name == "data" || row.Name == "input_model" || p.Layout.Table().Find(s.Name) != nil) {
			return fmt.Errorf("%s=%s: how a file is read; the data is arrays", s.Name, s.Value)
		}
		settings = append(settings, param.Setting{Name: s.Name, Value: s.Value})
	}
	_, err := table.Apply(settings)
	return err
}

func rowNumbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
