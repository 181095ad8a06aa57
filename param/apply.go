package param

import (
	"errors"
	"fmt"
	"maps"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Apply sets the parameters from layers of settings, in which later layers take precedence, and checks all
// values of the table. It returns the settings that took effect, under their proper names and in table order.
// The error lists everything that is wrong.
func (t Table) Apply(layers ...[]Setting) (effective []Setting, err error) {
	chosen := map[string]Setting{} // by proper name
	var faults []error
	for _, layer := range layers {
		merged, wrong := t.merge(layer)
		faults = append(faults, wrong...)
		maps.Copy(chosen, merged)
	}
	for i := range t {
		p := &t[i]
		s, given := chosen[p.Name]
		if given {
			effective = append(effective, Setting{Name: p.Name, Value: s.Value, Place: s.Place})
		}
		if err := p.apply(s, given); err != nil && given {
			faults = append(faults, fmt.Errorf("%v: %w", s, err))
		} else if err != nil {
			faults = append(faults, p.fault(err))
		}
	}
	return effective, joined(faults)
}

func (p *Parameter) apply(s Setting, given bool) error {
	if given {
		if err := p.goneValue(s.Value); err != nil {
			return err
		}
		if err := p.Value.Set(s.Value); err != nil {
			return err
		}
	}
	return p.check()
}

// check returns an error if the current value is not allowed.
func (p *Parameter) check() error {
	if err := p.goneValue(p.Value.String()); err != nil {
		return err
	}
	return p.Value.Check()
}

// goneValue returns an error for a value that only earlier versions had.
func (p *Parameter) goneValue(text string) error {
	if why := gone.Why(gone.Value, p.Name+"="+text); why != "" {
		return errors.New(why)
	}
	return nil
}

// merge resolves the names of one layer.
func (t Table) merge(layer []Setting) (map[string]Setting, []error) {
	merged := map[string]Setting{}
	var faults []error
	for _, s := range layer {
		p := t.Find(s.Name)
		if p == nil {
			faults = append(faults, fmt.Errorf("%v: %w", s, t.Unknown(s.Name)))
			continue
		}
		earlier, again := merged[p.Name]
		switch {
		case again && p.Repeat:
			s.Value = earlier.Value + "," + s.Value
		case again && earlier.Value != s.Value:
			faults = append(faults, fmt.Errorf("%v: %s is already given by %v", s, p.Name, earlier))
			continue
		}
		merged[p.Name] = s
	}
	return merged, faults
}

// ErrUnknown is wrapped by the error for a name that no parameter has.
var ErrUnknown = errors.New("unknown parameter")

// Unknown returns the error for a name that no parameter has. It wraps [ErrUnknown], and says why the name is
// gone, what another library's parameter is called here, or suggests the nearest name.
func (t Table) Unknown(name string) error {
	if why := gone.Why(gone.Parameter, canonical(name)); why != "" {
		return fmt.Errorf("%w: %s", ErrUnknown, why)
	}
	if hint := wording.Hint(canonical(name)); hint != "" {
		return fmt.Errorf("%w: %s", ErrUnknown, hint)
	}
	if near := t.Like(name); near != "" {
		return fmt.Errorf("%w; did you mean %s?", ErrUnknown, near)
	}
	return ErrUnknown
}

// Like returns the name or alias of a parameter with an effect that is most like the given one, or "" if none
// is like it.
func (t Table) Like(name string) string {
	var terms []wording.Term
	for i := range t {
		if !t[i].Inert {
			terms = append(terms, wording.Term{Name: t[i].Name, Aliases: t[i].Aliases})
		}
	}
	return wording.Similar(canonical(name), terms)
}
