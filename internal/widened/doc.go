// Package widened adds columns of query context to ranking data, whatever its form: a source of raw
// rows becomes a source of rows that have the context columns after the raw features.
//
//	rows of a source ─► whole queries ─► by feature ─► querycontext ─► wider rows ─► reader
//	  (in parallel)     (collected)    (of one query)                (in parallel)
//
// The context of a document needs all documents of its query, so that rows are collected until their
// query is complete. Memory holds the queries that are being read, not the data.
//
// The raw features are those of the columns ([querycontext.Columns].Raw), whatever the source itself
// has: one that the source lacks counts as zero in all rows, and one that it has beyond them follows
// after the context columns, so that readers see that it is there.
package widened
