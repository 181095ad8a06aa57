// Package widened adds columns of query context to ranking data, whatever its form: a source of raw
// rows becomes a source of rows that have the context columns after the raw features.
//
//	rows of a source ─► whole queries ─► by feature ─► querycontext ─► wider rows ─► reader
//	  (in parallel)     (collected)    (of one query)                (in parallel)
//
// The context of a document needs all documents of its query, so that rows are collected until their
// query is complete. Memory holds the queries that are being read, not the data.
//
// There are [querycontext.Columns].Raw raw features, however many the source has. A feature that the source
// lacks is zero in all rows. Additional features of the source come after the context columns, where readers
// notice them.
package widened
