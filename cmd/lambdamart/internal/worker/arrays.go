package worker

import (
	"fmt"
	"os"

	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/io/data"
)

// dataSet is a set of data of a request: one of these.
type dataSet struct {
	Name string `json:"name"` // in messages and evaluations

	DataFile string `json:"data_file"` // path of a data file
	Stored   *file  `json:"stored"`    // binned data that the parent process holds
	Arrays   *file  `json:"arrays"`    // see package arrays

	names []string // of the features of arrays; nil if they have none
}

// input returns the set as it is loaded. release gives its memory back.
func (s *dataSet) input(workers int) (in data.Input, release func() error, err error) {
	release = func() error { return nil }
	switch {
	case s.Arrays != nil:
		f, err := s.Arrays.open(os.O_RDONLY)
		if err != nil {
			return in, nil, err
		}
		rows, err := arrays.Read(f, arrays.Options{Workers: workers})
		if err != nil {
			return in, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		s.names = rows.Names()
		return data.Input{Source: rows}, rows.Close, nil
	case s.Stored != nil:
		return data.Input{Path: s.Stored.name()}, release, nil
	}
	return data.Input{Path: s.DataFile}, release, nil
}
