package param

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Apply sets the parameters from layers of settings, in which later layers take precedence, and checks all
// values of the table. It returns the settings that took effect, under their proper names and in table order.
// The error lists everything that is wrong.
func (t Table) Apply(layers ...[]Setting) (effective []Setting, err error) {
	chosen := map[string]Setting{} // by proper name
	var faults faultList
	for _, layer := range layers {
		merged, wrong := t.merge(layer)
		faults = append(faults, wrong...)
		for name, s := range merged {
			chosen[name] = s
		}
	}
	for i := range t {
		s, given := chosen[t[i].Name]
		if given {
			effective = append(effective, Setting{Name: t[i].Name, Value: s.Value, Place: s.Place})
		}
		if err := t[i].apply(s, given); err != nil {
			if !given {
				s = Setting{Name: t[i].Name, Value: t[i].Value.String()}
			}
			faults = append(faults, &fault{Setting: s, Err: err})
		}
	}
	return effective, faults.orNil()
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
func (t Table) merge(layer []Setting) (map[string]Setting, faultList) {
	merged := map[string]Setting{}
	var faults faultList
	for _, s := range layer {
		p := t.Find(s.Name)
		if p == nil {
			faults = append(faults, &fault{Setting: s, Err: t.Unknown(s.Name)})
			continue
		}
		earlier, again := merged[p.Name]
		switch {
		case again && p.Repeat:
			s.Value = earlier.Value + "," + s.Value
		case again && earlier.Value != s.Value:
			faults = append(faults, &fault{Setting: s, Err: fmt.Errorf("%s is already given by %v", p.Name, earlier)})
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
