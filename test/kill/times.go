//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

// timed matches the names of fields and columns whose values differ from run to run: times, and the checksum
// of a result that contains times.
var timed = regexp.MustCompile(`seconds|micros|^sha256$`)

// withoutTimes returns the content of an output with its times blanked. Content that is not complete stays
// different from content that is. Only the end of a report is compared, because figures show times.
func withoutTimes(name string, content []byte) []byte {
	switch path.Ext(name) {
	case ".tsv":
		return []byte(tableWithoutTimes(string(content)))
	case ".json":
		return documentWithoutTimes(content)
	case ".html":
		return fmt.Appendf(nil, "complete: %v", bytes.HasSuffix(bytes.TrimSpace(content), []byte("</html>")))
	}
	return content
}

// tableWithoutTimes blanks the columns whose name in the first line is that of a time.
func tableWithoutTimes(text string) string {
	var b strings.Builder
	var names []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if names == nil {
			names = cells
		}
		for i := range min(len(cells), len(names)) {
			if timed.MatchString(names[i]) {
				cells[i] = names[i]
			}
		}
		b.WriteString(strings.Join(cells, "\t"))
		b.WriteString(line[len(strings.TrimSuffix(line, "\n")):])
	}
	return b.String()
}

// documentWithoutTimes returns a JSON document without the fields of times, its other fields in the order of
// their names and its numbers as they are written. Other content, such as half a document, stays as it is.
func documentWithoutTimes(content []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return content
	}
	if _, err := d.Token(); err != io.EOF {
		return content
	}
	deleteTimes(value)
	text, err := json.Marshal(value)
	if err != nil {
		return content
	}
	return append(text, content[len(bytes.TrimRight(content, "\n")):]...)
}

// deleteTimes deletes fields of times from a value that was read from JSON.
func deleteTimes(value any) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			deleteTimes(element)
		}
	case map[string]any:
		for name, field := range v {
			if timed.MatchString(name) {
				delete(v, name)
			} else {
				deleteTimes(field)
			}
		}
	}
}
