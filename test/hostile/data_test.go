//go:build linux

package hostile

import (
	"bytes"
	"strings"
)

// data are hostile files of rows, to be trained on, scored, evaluated and binned.
func data() []hostile {
	var all []hostile
	add := func(h hostile) { h.name = "data: " + h.name; all = append(all, h) }
	row := "1 qid:1 1:1\n0 qid:1 1:0\n"

	// LETOR text.
	add(hostile{name: "gzip of a line of 256 MiB", files: files("d.txt", gzipped("1 qid:1 ", "7", 256<<20, "")),
		args: "train data=d.txt", memory: 768})
	add(hostile{name: "zstd of a line of 256 MiB",
		files: files("d.txt", zstandard("1 qid:1 ", "7", 256<<20, "")), args: "train data=d.txt", memory: 768})
	add(hostile{name: "gzip of 64 MiB of blank lines", files: files("d.txt", gzipped(row, "\n", 64<<20, "")),
		args: "train data=d.txt", memory: 64})
	add(hostile{name: "feature 2^40", files: files("d.txt", plain("1 qid:1 1099511627776:1\n")),
		args: "train data=d.txt"})
	add(hostile{name: "a line that names a feature a million times",
		files: files("d.txt", plain("1 qid:1"+strings.Repeat(" 1:1", 1_000_000)+"\n")), args: "train data=d.txt"})
	add(hostile{name: "a number of a million digits",
		files: files("d.txt", plain("1 qid:1 1:"+strings.Repeat("9", 1_000_000)+"\n")), args: "train data=d.txt"})
	add(hostile{name: "a label of 10^308", files: files("d.txt", plain("1e308 qid:1 1:1\n0 qid:1 1:2\n")),
		args: "train data=d.txt"})
	add(hostile{name: "a query id of 10 MB", files: files("d.txt",
		plain("1 qid:"+strings.Repeat("q", 10_000_000)+" 1:1\n0 qid:x 1:1\n")), args: "train data=d.txt"})

	// Companions.
	add(hostile{name: "gzip of 2^27 weights", files: map[string]content{"d.txt": plain(row),
		"d.txt.weight": gzipped("", "1\n", 192<<20, "")}, args: "train data=d.txt"})
	add(hostile{name: "gzip of 2^27 sizes of queries",
		files: map[string]content{"d.csv": plain("1,2\n0,3\n"), "d.csv.query": gzipped("", "0\n", 192<<20, "2\n")},
		args:  "train data=d.csv"})
	add(hostile{name: "a query of 2^39 rows", files: map[string]content{"d.csv": plain("1,2\n0,3\n"),
		"d.csv.query": plain("549755813888\n")}, args: "train data=d.csv"})
	add(hostile{name: "gzip of 2^27 initial scores",
		files: map[string]content{"d.txt": plain(row), "d.txt.init": gzipped("", "1\n", 192<<20, "")},
		args:  "train data=d.txt"})
	add(hostile{name: "gzip of 2^27 positions", files: map[string]content{"d.txt": plain(row),
		"d.txt.position": gzipped("", "1\n", 192<<20, "")}, args: "train data=d.txt"})

	// Tables.
	add(hostile{name: "gzip of a row of 2^27 cells", files: files("d.csv", gzipped("1", ",1", 192<<20, "\n")),
		args: "train data=d.csv group_column=0", memory: 768})
	add(hostile{name: "gzip of a quote that never ends",
		files: files("d.csv", gzipped("label,\"", "x", 192<<20, "")),
		args:  "train data=d.csv group_column=0", memory: 768})
	add(hostile{name: "a heading of a million names",
		files: files("d.csv", plain("label,q"+strings.Repeat(",f", 1_000_000)+"\n1,1\n")),
		args:  "train data=d.csv group_column=name:q"})
	add(hostile{name: "gzip of a table of scores with a row of 192 MiB",
		files: files("d.csv", gzipped("query,target,score\n1,1,", "7", 192<<20, "\n")),
		args:  "eval data=d.csv", memory: 768})

	// TREC runs and qrels.
	add(hostile{name: "gzip of a run with a line of 192 MiB",
		files: map[string]content{"q": plain("1 0 a 1\n"), "r": gzipped("1 Q0 ", "a", 192<<20, " 1 1 x\n")},
		args:  "eval qrels=q run=r metric=ndcg", memory: 768})
	add(hostile{name: "gzip of qrels with a line of 192 MiB",
		files: map[string]content{"r": plain("1 Q0 a 1 1 x\n"), "q": gzipped("1 0 ", "a", 192<<20, " 1\n")},
		args:  "eval qrels=q run=r metric=ndcg", memory: 768})

	// Parquet.
	page := plain(bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, 4))
	for _, p := range []struct {
		name string
		file parquetFile
	}{
		{"a footer of 2^60 rows", parquetFile{rows: 1 << 60, values: 4, page: page}},
		{"a page of 2^60 values", parquetFile{rows: 4, values: 1 << 60, page: page}},
		{"2^31-1 nulls in six bytes", parquetFile{rows: 1<<31 - 1, values: 1<<31 - 1, optional: 1,
			page: plain("\x06\x00\x00\x00\xfe\xff\xff\xff\x0f\x00")}},
		{"a page of 2^40 bytes", parquetFile{rows: 4, values: 4, page: page, size: 1 << 40, stored: 1 << 40}},
		{"a page that grows to 1 GiB, gzip", parquetFile{rows: 4, values: 4, codec: 2,
			page: gzipped("", "\x00", 192<<20, ""), size: 1 << 30}},
		{"a page that grows to 32 bytes, it says, and to 1 GiB, gzip",
			parquetFile{rows: 4, values: 4, codec: 2, page: gzipped("", "\x00", 192<<20, ""), size: 32}},
		{"a page that grows to 1 GiB, zstd", parquetFile{rows: 4, values: 4, codec: 6,
			page: zstandard("", "\x00", 192<<20, ""), size: 1 << 30}},
		{"a page that asks for a window of 2 TiB, zstd",
			parquetFile{rows: 4, values: 4, codec: 6, page: plain(wideWindow), size: 32}},
		{"a page that grows to 4 GiB, snappy", parquetFile{rows: 4, values: 4, codec: 1,
			page: plain("\xff\xff\xff\xff\x0f\x00"), size: 1<<32 - 1}},
		{"a dictionary of 2^31-1 values", parquetFile{rows: 4, values: 1<<31 - 1, page: page, dictionary: true}},
		{"a text of 2^32-1 bytes", parquetFile{rows: 1, values: 1,
			page: plain("\xff\xff\xff\xff"), text: true}},
		{"deltas of 2^60 values", parquetFile{rows: 1, values: 1,
			page: plain("\x80\x01\x04\x80\x80\x80\x80\x80\x80\x80\x80\x10\x00"), encoding: 5}},
		{"a schema of 2^60 columns", parquetFile{rows: 4, values: 4, page: page, columns: 1 << 60}},
		{"columns in another file", parquetFile{rows: 4, values: 4, page: page, elsewhere: "/etc/passwd"}},
	} {
		h := hostile{name: "Parquet: " + p.name, files: files("d.parquet", p.file.bytes),
			args: "predict data=d.parquet input_model=m output_result=s"}
		h.files["m"] = lightgbm("feature_names=x y", "")
		add(h)
	}
	add(hostile{name: "Parquet: a footer of 4 GiB",
		files: files("d.parquet", plain("PAR1\xff\xff\xff\xffPAR1")), args: "train data=d.parquet"})

	// Stored bins.
	add(hostile{name: "stored bins of nothing but 0xff",
		files: files("d.bin", plain("\x8bLMB\r\n\x1a\n"+strings.Repeat("\xff", 200))),
		args:  "train data=d.bin"})
	// Checkpoints.
	add(hostile{name: "a checkpoint of a million brackets",
		files: map[string]content{"d.txt": plain(row),
			"model.txt.checkpoint": plain(strings.Repeat("[", 1_000_000))}, args: "train data=d.txt resume=true"})
	return all
}

func files(name string, made content) map[string]content { return map[string]content{name: made} }
