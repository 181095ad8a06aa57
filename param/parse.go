package param

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ParseArgs reads key=value arguments. All arguments that have another form
// are reported.
func ParseArgs(args []string) ([]Setting, error) {
	settings := make([]Setting, 0, len(args))
	var errs []error
	for _, arg := range args {
		s, err := parseSetting(arg)
		if err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", arg, err))
			continue
		}
		settings = append(settings, s)
	}
	return settings, errors.Join(errs...)
}

// Limits of a configuration file. Files that programs write for many validation sets are far smaller.
const (
	longestLine  = 1 << 20 // bytes
	mostSettings = 10_000
)

// ReadConfig reads a configuration file. name is its name in Setting.Place.
func ReadConfig(r io.Reader, name string) ([]Setting, error) {
	var settings []Setting
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, longestLine)
	for line := 1; scanner.Scan(); line++ {
		text, _, _ := strings.Cut(strings.TrimPrefix(scanner.Text(), "\ufeff"), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		s, err := parseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %.60q: %w", name, line, text, err)
		}
		if len(settings) == mostSettings {
			return nil, fmt.Errorf("%s:%d: more than %d settings: this is not a configuration", name, line,
				mostSettings)
		}
		s.Place = fmt.Sprintf("%s:%d", name, line)
		settings = append(settings, s)
	}
	if err := scanner.Err(); err == bufio.ErrTooLong {
		return nil, fmt.Errorf("%s: a line is longer than %d bytes: this is not a configuration", name, longestLine)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return settings, nil
}

var errNoAssignment = errors.New("expected key=value, without blanks around the '=' on the command line")

func parseSetting(text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return Setting{}, errNoAssignment
	}
	return Setting{Name: name, Value: unquote(strings.TrimSpace(value))}, nil
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
