package binned

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Write writes the set in the format that the package documentation describes. The same set gives
// the same bytes.
func (s *Set) Write(w io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	pool := par.New(0)
	defer pool.Close()
	content := s.encode()
	at := 0
	write := func(b []byte) error {
		n, err := w.Write(b)
		at += n
		return err
	}
	if err := write(content.preface(sumWith(pool))); err != nil {
		return err
	}
	for _, section := range content.stored() {
		if err := write(make([]byte, aligned(at)-at)); err != nil {
			return err
		}
		if err := write(section); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the set is not one that a file can hold.
func (s *Set) check() error {
	if err := s.Meta.Check(); err != nil {
		return err
	}
	if s.Meta.NumRows() != s.Bins.NumRows() || s.Meta.NumFeatures() != len(s.Bins.Mapper.Features) {
		return fmt.Errorf("binned: %d labels and %d feature names for %d rows of %d features",
			s.Meta.NumRows(), s.Meta.NumFeatures(), s.Bins.NumRows(), len(s.Bins.Mapper.Features))
	}
	return nil
}
