package worker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// open returns sets as they are loaded. release gives their memory back.
func open(sets []dataSet, workers int) (inputs []data.Input, release func(), err error) {
	var memories []func() error
	release = func() {
		for _, unmap := range memories {
			unmap()
		}
	}
	for i := range sets {
		in, unmap, err := sets[i].input(workers)
		if err != nil {
			release()
			return nil, nil, err
		}
		inputs, memories = append(inputs, in), append(memories, unmap)
	}
	return inputs, release, nil
}

// options returns how data is read.
func (s *server) options(o data.LoadOptions, q *request, workers int) data.LoadOptions {
	o.Workers = workers
	if q.Reading {
		o.Progress = s.reading()
	}
	return o
}

// reading returns a function that emits how much of a file is read, a few times a second.
func (s *server) reading() func(path string, read, total int64) {
	const pause = 200 * time.Millisecond
	var mu sync.Mutex
	last := time.Now()
	return func(path string, read, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= pause {
			last = now
			s.emit("reading", event{"path": path, "read": read, "of": total}, nil)
		}
	}
}

// complete checks a set that was loaded against the training data, and
// shows what was noticed in it.
func (a *dataSet) complete(s *server, set *data.Set, training *dataset.Meta) error {
	if names := rawNames(training); a.names != nil && !slices.Equal(a.names, names) {
		return fmt.Errorf("%s: its columns are not those of the training data, which are %s; put them in this order", a.Name, strings.Join(names[:min(10, len(names))], ", "))
	}
	loaded := set.Name
	set.Name = a.Name
	return s.show(set, loaded, a)
}

// rawNames returns the names of the features that rows have before query context is added.
func rawNames(m *dataset.Meta) []string {
	if m.Context != nil {
		return m.Features[:m.Context.Raw]
	}
	return m.Features
}

// show emits what was noticed in a set, which was loaded under another name.
func (s *server) show(set *data.Set, loaded string, a *dataSet) error {
	if err := s.emit("data", event{"set": a.Name, "rows": set.Meta.NumRows(), "queries": len(set.Meta.Queries), "features": set.Meta.NumFeatures()}, nil); err != nil {
		return err
	}
	for _, r := range set.Remarks {
		kind, text := "note", r.Text
		if r.Kind.IsWarning() {
			kind = "warning"
		}
		if set.Path == "" {
			text = strings.Replace(text, loaded+":", a.Name+":", 1)
		}
		if err := s.emit(kind, event{"message": named(errors.New(text), []dataSet{*a}).Error()}, nil); err != nil {
			return err
		}
	}
	return nil
}

// named returns the error with the names of sets in the place of files that only this process knows.
func named(err error, sets []dataSet) error {
	text := err.Error()
	for _, a := range sets {
		if a.Stored != nil {
			text = strings.ReplaceAll(text, a.Stored.name(), a.Name)
		}
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
