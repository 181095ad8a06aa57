//go:build linux

package hostile

import (
	"fmt"
	"strings"
)

// others are hostile files that commands read beside data and models: folds, search spaces
// and bins, and feature sets.
func others() []hostile {
	var all []hostile
	add := func(h hostile) { h.name = "others: " + h.name; all = append(all, h) }
	rows := plain(strings.Repeat("1 qid:1 1:1\n0 qid:1 1:0\n2 qid:2 1:2\n0 qid:2 1:1\n", 10))
	beside := func(name string, made content) map[string]content {
		return map[string]content{"d.txt": rows, name: made}
	}

	// Folds and spaces.
	add(hostile{name: "gzip of 256 MiB of folds", files: beside("f", gzipped("", "1\n", 256<<20, "")),
		args: "cv data=d.txt fold_file=f output=o"})
	add(hostile{name: "gzip of a fold of 256 MiB", files: beside("f", gzipped("", "1", 256<<20, "\n")),
		args: "cv data=d.txt fold_file=f output=o"})
	add(hostile{name: "a million folds", files: beside("f", plain(strings.Repeat("1\n", 1_000_000))),
		args: "cv data=d.txt fold_file=f output=o"})
	add(hostile{name: "gzip of 256 MiB of a space",
		files: beside("s", gzipped("", "search = num_leaves=3..5\n", 256<<20, "")),
		args:  "tune data=d.txt config=s output=o", memory: 384})
	add(hostile{name: "a line of a space of 50 MB",
		files: beside("s", plain("search = num_leaves="+strings.Repeat("3|", 25_000_000))),
		args:  "tune data=d.txt config=s output=o"})
	add(hostile{name: "a space from 1 to 10^308", files: beside("s", plain("search = learning_rate=1..1e308 "+
		"log\nsearch = num_leaves=2..99999999999999999999\n")), args: "tune data=d.txt config=s output=o"})

	// Lists by feature.
	for _, list := range []string{"feature_contri", "monotone_constraints", "max_bin_by_feature"} {
		add(hostile{name: list + " with 500,000 numbers",
			files: beside("c", plain("data=d.txt\n"+list+"=1"+strings.Repeat(",1", 450_000)+"\n")),
			args:  "train config=c"})
	}

	// Dictionaries of texts, and query context.
	var texts strings.Builder
	texts.WriteString("label,q,c\n")
	for i := range 300_000 {
		fmt.Fprintf(&texts, "%d,%d,text-%d\n", i%2, i/10, i)
	}
	add(hostile{name: "300,000 texts of a categorical feature",
		files: map[string]content{"d.csv": plain(texts.String())},
		args: "train data=d.csv label_column=name:label group_column=name:q categorical_feature=name:c " +
			"num_iterations=1"})
	add(hostile{name: "a text of 100 MiB, gzip", files: map[string]content{"d.csv": gzipped("label,q,c\n1,1,",
		"x", 100<<20, "\n")}, args: "train data=d.csv label_column=name:label group_column=name:q " +
		"categorical_feature=name:c", memory: 768})
	add(hostile{name: "query context of a query of a million rows",
		files: map[string]content{"d.txt": plain(strings.Repeat("1 qid:1 1:1\n", 1_000_000))},
		args:  "transform data=d.txt query_context=rank,zscore output=o.txt", fine: true, memory: 384})
	return all
}
