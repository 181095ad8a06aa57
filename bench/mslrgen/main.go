// Command mslrgen writes ranking data in the format of Microsoft's MSLR-WEB10K and MSLR-WEB30K:
// SVMlight text with query ids, 136 columns computed by their published definitions, and relevance
// grades 0 to 4 in about MSLR's shares.
//
//	mslrgen -queries 6000 -seed 1 > train.txt
//	mslrgen -queries 2000 -seed 2 -first-qid 6001 > vali.txt
//
// The queries and documents are simulated. A grade follows from the topic of a document, its quality and its
// clicks, and from noise; counts and lengths in the columns reveal all of these except the noise. Use such
// data to compare programs; results on it say nothing about web search.
//
// The flags determine every byte on every machine: the elementary functions are those of
// internal/exact, and products are never fused with sums.
//
// The files follow the data: simulate.go draws random numbers and makes queries and documents,
// columns.go computes the 136 values of a document, main.go writes them.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
)

// options are the flags.
type options struct {
	queries  int
	docs     float64 // mean number of documents of a query
	seed     uint64
	firstQID int
}

func main() {
	var o options
	flag.IntVar(&o.queries, "queries", 100, "number of queries")
	flag.Float64Var(&o.docs, "docs", 119, "mean number of documents of a query")
	flag.Uint64Var(&o.seed, "seed", 1, "random seed")
	flag.IntVar(&o.firstQID, "first-qid", 1, "id of the first query")
	flag.Parse()
	if flag.NArg() > 0 {
		fail(fmt.Errorf("unexpected argument %q; the data goes to standard output", flag.Arg(0)))
	}
	fail(write(os.Stdout, o))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mslrgen:", err)
		os.Exit(1)
	}
}

// write writes the data set that the options describe.
func write(w io.Writer, o options) error {
	if o.queries < 1 || !(o.docs >= 1) {
		return fmt.Errorf("need at least one query and one document a query, got %d and %g", o.queries, o.docs)
	}
	buffered := bufio.NewWriterSize(w, 1<<18)
	var line []byte
	for q := range o.queries {
		for _, d := range simulateQuery(newRandom(o.seed, q), o.docs) {
			line = appendRow(line[:0], o.firstQID+q, &d)
			if _, err := buffered.Write(line); err != nil {
				return err
			}
		}
	}
	return buffered.Flush()
}

// appendRow appends one line. As in MSLR it contains every column, also those that are zero.
func appendRow(dst []byte, qid int, d *document) []byte {
	dst = strconv.AppendInt(dst, int64(grade(d.utility)), 10)
	dst = append(dst, " qid:"...)
	dst = strconv.AppendInt(dst, int64(qid), 10)
	for i, v := range d.columns {
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, int64(i+1), 10)
		dst = append(dst, ':')
		dst = appendValue(dst, v)
	}
	return append(dst, '\n')
}

// appendValue appends v with six decimals, as in MSLR, without trailing zeros.
func appendValue(dst []byte, v float64) []byte {
	digits := strconv.AppendFloat(nil, v, 'f', 6, 64)
	digits = bytes.TrimSuffix(bytes.TrimRight(digits, "0"), []byte("."))
	if string(digits) == "-0" {
		digits = digits[1:]
	}
	return append(dst, digits...)
}
