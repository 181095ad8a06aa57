// Package experiment compares rankers: it trains each on the same data, with
// several seeds, judges them on test queries that none has seen, and says which
// differences are real.
//
// # Data
//
// A split is three files in one folder, told by their names up to the first dot:
//
//	train         what models are fitted to
//	vali          what decides: the iteration that a model keeps, and among the
//	              variants of a ranker; valid and validation are other names
//	test          what the results are about; it decides nothing
//
// Several splits are folders named Fold1, Fold2, ... in one folder, as MSLR-WEB and
// LETOR ship them. Companions (.query, .weight) belong to their files.
//
// # The file
//
// An experiment is written in YAML:
//
//	data: ../mq2008              # a split, or a folder of folds
//	output: mq2008               # folder of the results
//	metric: ndcg@10              # that decides, and by which rankers are compared
//	seeds: 5                     # trainings of each ranker on each fold: seeds 1 to 5
//	max_seconds: 600             # of each training
//	num_leaves: 63               # any parameter of training, for all rankers that have it
//	rankers:
//	  - lambdamart               # by its kind
//	  - name: shallow            # or with parameters of its own
//	    ranker: lambdamart
//	    parameters: {num_leaves: 15}
//	  - name: tuned              # validation chooses among variants, on each fold
//	    ranker: lambdamart
//	    variants:
//	      slow: {learning_rate: 0.05}
//	      fast: {learning_rate: 0.2, num_leaves: 31}
//
// Every key is a parameter or "rankers"; a list may be written as in YAML or with
// commas. A variant's parameter beats the ranker's, which beats that of the file.
// Unknown keys, values of the wrong sort, names that come twice, anchors and a
// second document are errors, which name line and column.
//
// The kinds are lambdamart, boosted trees, and the losses of neural rankers: those of
// [Kinds]. Their parameters are those of packages booster and nnbaseline. By
// default, trees are at most 1000 and stop early after 50 without a better one; epochs at
// most 100, after 10.
//
// # A training
//
// A training, of one variant of one ranker with one seed on one fold, ends by the
// ranker's own early stopping, after Options.MaxIterations trees or epochs, or after
// Options.MaxSeconds, with the iteration at hand. The model keeps the iteration with
// the best metric on the validation queries, whatever ended it. Its time is from the
// first iteration to the last one, validation included, reading and binning not.
// Limits of time make results depend on the machine; the report tells which
// trainings they ended.
//
// # Choice and comparison
//
// On each fold the variant counts whose validation metric, as the mean over seeds, is
// best; of equal ones the first. A ranker's value for a test query is the mean
// over its seeds: seeds are averaged for each query before anything is tested, so
// that every query counts once, however many seeds there are. The queries of
// all folds together make the mean, its bootstrap interval, and the pairs of the
// tests. The interval tells how much the mean would vary with other queries; the
// standard deviation over seeds, how much with another seed.
//
// Every ranker is compared with the one whose mean is best, by the tests of package
// significance; their probabilities are corrected for the number of
// comparisons (Holm).
//
// # Results
//
//	runs/<fold>/<ranker>[@<variant>].seed<n>.<key>.json    a training and its test values
//	results.tsv    a line for each ranker
//	queries.tsv    a line for each test query, ranker and seed: values of all metrics
//	report.html    everything, with figures; one file, no network, no scripts
//
// Each training is written, whole or not at all, when it ends. Its key is a hash
// of all that it depends on: the bytes of the data, all parameters, the limits, the
// metrics, and the program. An experiment that is run again goes on where it
// stopped: it takes over the trainings whose key is the same, and does the others.
package experiment
