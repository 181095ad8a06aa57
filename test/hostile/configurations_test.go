//go:build linux

package hostile

import (
	"fmt"
	"strings"
)

// configurations are hostile versions of files that people write: parameters, names, and others.
func configurations() []hostile {
	row := plain("1 qid:1 1:1\n0 qid:1 1:0\n")
	var all []hostile
	add := func(h hostile) { h.name = "configuration: " + h.name; all = append(all, h) }
	add(hostile{name: "gzip of 256 MiB", files: files("c.conf", gzipped("", "#", 256<<20, "")),
		args: "config=c.conf"})
	add(hostile{name: "a line of 50 MB", files: files("c.conf", plain("data="+strings.Repeat("x", 50_000_000))),
		args: "config=c.conf"})
	add(hostile{name: "a million unknown parameters",
		files: files("c.conf", plain("task=train\n"+strings.Repeat("num_leavesx=3\n", 1_000_000))),
		args:  "config=c.conf"})
	add(hostile{name: "another configuration", files: files("c.conf", plain("config=c.conf\n")),
		args: "config=c.conf"})
	add(hostile{name: "label gains by the million",
		files: map[string]content{"d.txt": row, "c.conf": plain("data=d.txt\nlabel_gain=0" +
			strings.Repeat(",1", 2_000_000) + "\n")}, args: "train config=c.conf"})
	add(hostile{name: "rankers by the ten thousand",
		files: map[string]content{"d.txt": row, "r.conf": plain("ranker_settings = a0: x=1" + manyRankers() +
			"\n")}, args: "bench config=r.conf data=d.txt output=o"})
	add(hostile{name: "gzip of 256 MiB of names of features",
		files: map[string]content{"m": lightgbm("", ""), "n": gzipped("", "a\tb\n", 256<<20, "")},
		args:  "export m to=solr features=n output=o"})
	add(hostile{name: "gzip of 256 MiB of scores",
		files: map[string]content{"d.txt": row, "s": gzipped("", "1\n", 256<<20, "")},
		args:  "eval data=d.txt scores=s"})
	add(hostile{name: "gzip of 256 MiB of values of queries",
		files: map[string]content{"a": gzipped("query,documents,ndcg\n", "1,1,1\n", 256<<20, ""),
			"b": plain("query,documents,ndcg\n1,1,1\n")}, args: "compare a b"})
	add(hostile{name: "test vectors, deep", files: map[string]content{"m": lightgbm("", ""),
		"v": plain(strings.Repeat("[", 3_000_000))}, args: "check-export m v"})
	add(hostile{name: "gzip of 256 MiB of test vectors",
		files: map[string]content{"m": lightgbm("", ""), "v": gzipped(`{"rows":[`, "1,", 256<<20, "")},
		args:  "check-export m v"})
	return all
}

// manyRankers returns items of ranker_settings, in one line.
func manyRankers() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, ",a%d: x=1", i+1)
	}
	return b.String()
}
