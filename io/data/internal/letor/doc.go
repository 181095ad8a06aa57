// Package letor reads ranking data in the LETOR form of SVMlight text. The collections MSLR-WEB, MQ2007/2008,
// Yahoo and Istella have this form.
//
// # Format
//
// A line is a row, a judged document:
//
//	2 qid:10 1:3 2:0.5 46:0.076923 # docid = GX008-86-4444840
//
//	line    = label [ "qid:" id ] { number ":" value } [ "#" comment ]
//	label   = a finite decimal number, the relevance grade
//	id      = bytes other than blanks and '#'
//	number  = decimal digits; ascending within a line, at least 0, or 1 with feature_base=1, and below 2^24
//	comment = not directly after a point, as in 1.#INF
//	value   = a decimal number, finite unless New accepts infinite ones, or "nan" in any case: a missing value
//
// Tokens are separated by blanks: spaces, tabs and carriage returns, so that lines may end in CR
// LF. Lines that are empty, blank or only a comment are not rows. A UTF-8 byte order mark at the
// start is skipped. A feature that a line leaves out is zero. Numbers are converted to the nearest
// float64, as strconv.ParseFloat does; a decimal number is digits with at most one point among or
// around them, perhaps a sign before and an exponent after them. There is no limit on the length of
// a line or the documents of a query.
//
// # Features
//
// Column n of the data is feature n of the file, as in LightGBM and XGBoost. Column 0 is a constant zero in
// files that number features from 1, as all collections do; scikit-learn's dump_svmlight_file numbers them
// from 0. With feature_base=1, column n-1 is feature n, as in scikit-learn's load_svmlight_file.
// Column n has LightGBM's name for it, "Column_n".
//
// # Queries
//
// Consecutive rows with the same id are a query. An id that reappears after another one is an
// error, as is a file where some rows have an id and some have none. If no row has one, the file's
// companion <path>.query has the number of rows of each query, one per line, as for LightGBM, and the
// ids are the numbers of the queries, from 0. Queries without rows are left out and counted
// (dataset.Meta.EmptyQueries). If rows have ids, <path>.query is not read. Other companions have weights,
// initial scores, further labels and positions (rows.Companions).
//
// # Document ids
//
// With rows.Options.Docs, the comment names the document. If it begins with "docid", "=" and a word,
// with or without blanks around the sign, that word is the id; otherwise its first word is; a row
// without comment has the empty id.
//
// # Assembly
//
// On CPUs with AVX-512 (VBMI2), assembly reads the features of a row, up to eight at a time: it finds the
// colons, points and blanks of 64 bytes, and converts the digits beside them. It leaves features in rare
// forms, and wrong ones, to Go. The program in ../_generate, a module of its own, writes
// kernel_amd64.s and kernel_amd64.go.
package letor

//go:generate go run -C ../_generate . -out ../letor/kernel_amd64.s -stubs ../letor/kernel_amd64.go -pkg letor
