package data

// Narrow returns the data with all features constant, so that no tree uses them, but those for whose numbers keep
// returns true. It shares everything but the bins with l, which is the one to close.
func (l *Loaded) Narrow(keep func(feature int) bool) *Loaded {
	narrow := *l
	narrow.Mapper = l.Mapper.Narrow(keep)
	of := func(s *Set) *Set {
		one := *s
		one.Bins, one.Stored = s.Bins.Narrow(narrow.Mapper), false
		return &one
	}
	narrow.Training, narrow.Validation = of(l.Training), nil
	for _, s := range l.Validation {
		narrow.Validation = append(narrow.Validation, of(s))
	}
	return &narrow
}
