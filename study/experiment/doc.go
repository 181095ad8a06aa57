// Package experiment compares rankers: it trains each on the same data with several seeds, judges
// them on test queries that none has seen, and says which differences are more than chance.
//
// # Data
//
// A split is three files in one folder, which are recognized by their names up to the first dot:
//
//	train         models are fitted to it
//	vali          it chooses the iteration that a model keeps, and a variant of each ranker;
//	              valid and validation are other names
//	test          the results are about it; it chooses nothing
//
// Several splits are folders named Fold1, Fold2, ... in one folder, as in MSLR-WEB and LETOR.
// Companions (.query, .weight) belong to their files.
//
// # The file
//
// An experiment is written in YAML:
//
//	data: ../mq2008              # a split, or a folder of folds
//	output: mq2008               # folder of the results
//	metric: ndcg@10              # chooses, and compares the rankers
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
// Every key is a parameter or "rankers". A list may be written as in YAML or with commas. A parameter
// of a variant takes precedence over that of its ranker, which takes precedence over that of the
// file. Unknown keys, values of the wrong type, duplicate names, anchors and a second document are
// errors, which name line and column.
//
// The kinds of rankers are those of [Kinds]: lambdamart, which is boosted trees; lambdamart-auto, whose
// parameters are chosen by the size of the data where they are not given (package preset); and the losses of
// neural rankers. Their parameters are those of packages booster and nnbaseline. By default, there
// are at most 1000 trees, and training stops early after 50 without a better one; or there are at
// most 100 epochs, and training stops early after 10.
//
// # A training
//
// A training fits one variant of one ranker with one seed on one fold. It ends by the ranker's own
// early stopping, after Options.MaxIterations trees or epochs, or when Options.MaxSeconds are over,
// after the current tree or step. Whatever ended it, the model keeps the iteration with the best
// metric on the validation queries. Its time is measured from the first iteration to the last one; it
// includes validation, but not reading and binning. Limits of time make results depend on the
// machine: the report says which trainings they ended.
//
// # Choice and comparison
//
// On each fold, a ranker is represented by the variant whose validation metric, averaged over seeds,
// is best; of equal variants by the first. A ranker's value for a test query is the mean over its
// seeds: seeds are averaged for each query before anything is tested, so that every query counts
// once, however many seeds there are. The mean, its interval and the pairs of the tests are
// made from the queries of all folds together. The interval says how much the mean would vary with
// other queries; the standard deviation over seeds says how much it would vary with another seed.
//
// All pairs of rankers are compared by the tests of package significance. The table shows those with
// the ranker whose mean is best. That one was found on the same queries, so probabilities are
// corrected for the number of all pairs (Shaffer), not of those that are shown.
//
// # Results
//
//	runs/<fold>/<ranker>[@<variant>].seed<n>.<key>.json    a training and its test values
//	results.tsv    a line for each ranker
//	pairs.tsv      a line for each pair of rankers
//	queries.tsv    a line for each test query, ranker and seed: values of all metrics
//	result.json    the results and pairs, for programs
//	report.html    everything, with figures; one file, no network, no scripts
//
// The file of a training is written when the training ends, completely or not at all. Its key is a
// hash of everything that the training depends on: the bytes of the data, all parameters, the limits,
// the metrics, and the program. An experiment that is run again continues where it stopped: it takes
// over the trainings whose key is the same, and does the others.
package experiment
