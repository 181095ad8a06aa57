package judging

// inputHelp is the help on what eval and compare can judge, and by which rules.
const inputHelp = `
What can be judged:
  data=FILE input_model=MODEL   LETOR data, or a table of features, ranked by a model
  data=FILE scores=FILE         the same and scores, one a line in the order of the data
  data=TABLE                    CSV, TSV or Parquet with a query, a target and a score in
                                each row (query_field=, target_field=, score_field=);
                                a Parquet file, or a folder of parts as Spark writes it
  qrels=FILE run=FILE           a TREC run
Files may be compressed by gzip or zstd; - is standard input.

A model is judged by the label_gain and the metric_convention of its training, unless these
are given; all models of a comparison must agree.

Rules, each of which is reported where it applies:
  - rows may come in any order; where the rows of a query do not follow each other they
    are sorted in memory;
  - a document without a score, or whose score is NaN, is judged but not ranked: it counts
    in the ideal ranking and takes no rank;
  - a document without a target, or not in the qrels, has relevance 0;
  - a query of the qrels that the run lacks is a ranking without documents, or left out
    (absent_queries=); a query of the run that the qrels lack is left out;
  - a document twice in a query of a run or of qrels is an error.
Memory holds the largest query, a few numbers for each query, and a part of the rows;
it does not grow with the number of rows. Runs in which a query occurs in several places,
and data with weights, are read as a whole.`
