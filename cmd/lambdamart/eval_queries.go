package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/stream"
)

// The CSV file of all queries has the columns "query" and "documents", and one
// for each metric and convention, named "ndcg@10:lightgbm". A query that its
// convention leaves out has an empty cell. Numbers read back to the same float64.

// writeQueries writes the file.
func (j *judgment) writeQueries(path string) error {
	return stream.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		head := []string{"query", "documents"}
		for i := range j.results {
			head = append(head, column(&j.results[i]))
		}
		if err := out.Write(head); err != nil {
			return err
		}
		for number, id := range j.queries {
			line := []string{id, strconv.Itoa(j.documents[number])}
			for _, r := range j.results {
				line = append(line, formatValue(r.PerQuery[number]))
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

func formatValue(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// judgedQueries are the values of one system, a query each.
type judgedQueries struct {
	system  string
	queries []string
	values  []float64 // NaN for a query that was left out
}

// readQueries reads one column of the file, and returns its name too; wanted may
// be empty if there is one only.
func readQueries(path, wanted string) (j *judgedQueries, column string, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		j, column, err = parseQueries(r, name, wanted)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	j.system = path
	return j, column, nil
}

func parseQueries(r io.Reader, name, wanted string) (*judgedQueries, string, error) {
	lines := csv.NewReader(r)
	head, err := lines.Read()
	if err != nil || len(head) < 3 || head[0] != "query" || head[1] != "documents" {
		return nil, "", fmt.Errorf("%s: not a file of per_query=: its first line must begin with query,documents (%v)", name, err)
	}
	place, err := findValues(head, wanted)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	j := &judgedQueries{}
	seen := map[string]bool{}
	for {
		cells, err := lines.Read()
		if err == io.EOF {
			return j, head[place], nil
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
		line, _ := lines.FieldPos(0)
		if seen[cells[0]] {
			return nil, "", fmt.Errorf("%s:%d: query %q comes twice", name, line, cells[0])
		}
		seen[cells[0]] = true
		v := math.NaN()
		if cells[place] != "" {
			if v, err = strconv.ParseFloat(cells[place], 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, "", fmt.Errorf("%s:%d: %q is not a value of %s", name, line, cells[place], head[place])
			}
		}
		j.queries, j.values = append(j.queries, cells[0]), append(j.values, v)
	}
}

// findValues returns the place of the wanted column, which may be named without
// its convention.
func findValues(head []string, wanted string) (int, error) {
	found := -1
	for i, name := range head[2:] {
		bare, _, _ := strings.Cut(name, ":")
		if wanted != "" && name != wanted && bare != wanted {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("several columns could be meant: choose one of %s by metric= and metric_convention=", strings.Join(head[2:], ", "))
		}
		found = i + 2
	}
	if found < 0 {
		return 0, fmt.Errorf("no column %s; there are %s", wanted, strings.Join(head[2:], ", "))
	}
	return found, nil
}

// sameQueries puts the values of all systems in the order of the first one's
// queries, and drops the queries that not all have a value for. It returns how
// many were dropped because a system lacks them.
func sameQueries(systems []*judgedQueries) (queries []string, values [][]float64, dropped int) {
	places := make([]map[string]int, len(systems))
	union := map[string]bool{}
	for s, system := range systems {
		places[s] = make(map[string]int, len(system.queries))
		for i, id := range system.queries {
			places[s][id] = i
			union[id] = true
		}
	}
	values = make([][]float64, len(systems))
	row := make([]float64, len(systems))
	for _, id := range systems[0].queries {
		known, judged := true, true
		for s, system := range systems {
			place, ok := places[s][id]
			if known = known && ok; known {
				row[s] = system.values[place]
				judged = judged && !math.IsNaN(row[s])
			}
		}
		if known {
			delete(union, id)
		}
		if known && judged {
			queries = append(queries, id)
			for s := range systems {
				values[s] = append(values[s], row[s])
			}
		}
	}
	return queries, values, len(union)
}
