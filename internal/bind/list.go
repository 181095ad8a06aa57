package bind

import (
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/param"
)

// Texts binds a list of strings, separated by commas.
func Texts(dst *[]string) param.Value {
	return &list[string]{dst, func(string) error { return nil }, "list of texts",
		func(s string) (string, error) { return s, nil }, func(s string) string { return s }}
}

// Ints binds a list of integers, separated by commas. The limits hold for each.
func Ints(dst *[]int, limits ...Bound) param.Value {
	return &list[int]{dst, func(v int) error { return bounds(limits).check(float64(v)) },
		"list of integers", parseInt, strconv.Itoa}
}

// Floats binds a list of finite numbers, separated by commas. The limits hold for each.
func Floats(dst *[]float64, limits ...Bound) param.Value {
	return &list[float64]{dst, bounds(limits).check, "list of numbers", parseNumber, formatNumber}
}

type list[T any] struct {
	dst    *[]T
	check  func(T) error
	kind   string
	parse  func(string) (T, error)
	format func(T) string
}

func (l *list[T]) Set(text string) error {
	var values []T
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		v, err := l.parse(part)
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	*l.dst = values
	return nil
}

func (l *list[T]) String() string {
	parts := make([]string, len(*l.dst))
	for i, v := range *l.dst {
		parts[i] = l.format(v)
	}
	return strings.Join(parts, ",")
}

func (l *list[T]) Type() string { return l.kind }

func (l *list[T]) Range() string { return "" }

func (l *list[T]) Check() error {
	for _, v := range *l.dst {
		if err := l.check(v); err != nil {
			return err
		}
	}
	return nil
}
