package cli

import (
	"errors"
	"os"

	"github.com/lambdamart/lambdamart/param"
)

// readConfig reads a configuration file of key = value lines.
func readConfig(path string) ([]param.Setting, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &UsageError{errors.New("config: " + err.Error())}
	}
	defer f.Close()
	settings, err := param.ReadConfig(f, path)
	if err != nil {
		return nil, &UsageError{err}
	}
	return settings, nil
}

// valueOf returns the last value that settings give to a parameter, and "" if none does.
func valueOf(table param.Table, settings []param.Setting, name string) string {
	value := ""
	for _, s := range settings {
		if p := table.Find(s.Name); p != nil && p.Name == name {
			value = s.Value
		}
	}
	return value
}
