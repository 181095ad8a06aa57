package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/binned"
	"github.com/lambdamart/lambdamart/param"
)

// bin writes a set as binned data to a file of the parent process. If the request has a second set,
// which is binned data, the first one gets its bins.
func (s *server) bin(ctx context.Context, q *request) (event, []byte, error) {
	if len(q.Data) == 0 {
		return nil, nil, errors.New("there is no data")
	}
	p := lambdamart.DefaultParams()
	if err := configureBins(&p, q); err != nil {
		return nil, nil, err
	}
	inputs, release, err := open(q.Data, p.NumThreads)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	options := s.options(p.Data, q, p.NumThreads)
	if options.Context, err = p.ContextRequest(); err != nil {
		return nil, nil, err
	}
	l := data.NewLoader(p.BinParams(), options)
	defer l.Close()
	set, err := loadOne(ctx, l, q.Data, inputs)
	if err != nil {
		return nil, nil, cli.DataError(named(err, q.Data))
	}
	stored := l.Binned(set)
	if err := q.Data[0].complete(s, set, stored.Meta); err != nil {
		return nil, nil, err
	}
	if q.Store == nil {
		return nil, nil, errors.New("there is no file for the bins")
	}
	if err := store(*q.Store, stored); err != nil {
		return nil, nil, err
	}
	return event{"rows": stored.Meta.NumRows(), "queries": len(stored.Meta.Queries), "features": rawNames(stored.Meta)}, nil, nil
}

// configureBins sets the parameters of bins and of reading files.
func configureBins(p *lambdamart.Params, q *request) error {
	table := slices.Concat(cli.BinRows(&p.Params), p.Data.Layout.Table())
	var settings []param.Setting
	for _, s := range q.Params {
		settings = append(settings, param.Setting{Name: s.Name, Value: s.Value})
	}
	effective, err := table.Apply(settings)
	if err != nil {
		return fmt.Errorf("%w (of the parameters, those of bins and of reading files decide how data is binned)", err)
	}
	for _, s := range effective {
		if q.Data[0].DataFile == "" && p.Data.Layout.Table().Find(s.Name) != nil {
			return fmt.Errorf("%s=%s: how a file is read; the data is arrays", s.Name, s.Value)
		}
		p.Data.Given = append(p.Data.Given, s.Name)
	}
	return nil
}

// loadOne loads the first set, by the bins of the second if there is one.
func loadOne(ctx context.Context, l *data.Loader, sets []dataSet, inputs []data.Input) (*data.Set, error) {
	if len(sets) == 1 {
		return l.First(ctx, inputs[0])
	}
	if err := l.Reference(inputs[1].Path); err != nil {
		return nil, err
	}
	return l.Next(ctx, sets[0].Name, inputs[0])
}

// store writes binned data to an open file of the parent process, or to a path.
func store(f file, set *binned.Set) error {
	out, err := f.open(os.O_WRONLY | os.O_TRUNC)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	err = set.Write(w)
	return errors.Join(err, w.Flush(), out.Close())
}
