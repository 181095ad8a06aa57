// Package nnbaseline trains neural rankers on the same data and by the same metrics as trees, so that
// the two can be compared.
//
// [Params] are the settings, [Read] reads data, and [Train] trains and returns a [Model]. A round of package
// training is an epoch here; metrics and early stopping are the same as for trees.
//
// # Networks
//
// A ranker is a multilayer perceptron that scores one document at a time. Its inputs are the features,
// compressed by sign(x)·log1p(|x|) and then standardized by mean and deviation over the training rows: raw
// values of one feature may differ by eight orders of magnitude, and a network learns less well from such
// inputs. The input of a constant feature is 0. Each hidden layer is a linear map, an optional normalization
// of its sums (over the documents of a step, or over the units of a document), ReLU and, in training,
// dropout. The output is one linear unit.
//
// # A step of training
//
//	documents of some queries             trainer.go: one matrix, without padding
//	        │                             scaling.go: compressed values become inputs
//	        ▼
//	scores                                pass.go, normalize.go
//	        │
//	        ▼
//	losses, and their derivatives         loss.go: query by query
//	with respect to the scores
//	        │
//	        ▼
//	gradient with respect to the weights  pass.go, from the last layer to the first
//	        │
//	        ▼
//	new weights                           learner.go
//
// An epoch processes all queries once, in an order of its own. After it, package training evaluates the
// network and decides whether to continue (learner.go). The loss of a step is the mean over its queries.
// Queries with one document or with equal labels teach nothing: they are left out and counted, except that
// squared errors learn from all. Initial scores and weights of rows mean the same as for trees: the network
// adds its scores to the initial scores, and weights multiply the derivatives with respect to the scores.
//
// Constants are PyTorch's: the weights of a layer and its biases begin uniformly between -1/√in and
// 1/√in; Adam's rates are 0.9 and 0.999 and its epsilon is 1e-8; 1e-5 is added to the variances of
// normalization, and running means and variances move by 0.1 of the difference in each step.
//
// # The same model
//
// The same data, parameters and seed give the same bytes on the same machine, for any number of threads:
// random draws are hashes of their purpose (internal/random), and each worker processes rows or units of its
// own, so that no sum depends on the workers. Unlike trees, networks may differ in the last bits between
// machines, because their matrix products use fused operations where the CPU has them (internal/gemm).
//
// # Model files, version 1
//
// All numbers are little-endian.
//
//	offset  bytes
//	     0      8  magic: 8b 4c 4d 4e 0d 0a 1a 0a ("\x8bLMN\r\n\x1a\n"; a transfer
//	               that takes the file for text changes its line ends)
//	     8      4  version, 1
//	    12      4  h, length of the header in bytes, at most 67,108,864
//	    16      8  n, number of float32 values
//	    24      4  CRC-32C of the 24 bytes before
//	    28      h  header, a JSON object in UTF-8
//	  28+h     4n  values, IEEE 754
//	  …         4  CRC-32C of the header and the values
//
// The file ends there. The members of the header, all present:
//
//	ranker         the loss: ranknet, listnet, listnet-kl, lambdarank-mlp, listmle, mse
//	features       list of 1 to 65,536 objects: name; mean and scale (numbers, scale at
//	               least 0). The input of a value x is (c - mean)·scale, rounded to
//	               float32, where c is sign(x)·log1p(|x|), rounded to float32
//	nan            error: a NaN cannot be scored; mean: its input is 0
//	hidden_layers  list of the numbers of units of the hidden layers, 1 to 16,384 each,
//	               the layer next to the features first; at most 255 layers
//	normalization  none, batch or layer
//	parameters     object of texts: the parameters of training, for people. Scoring
//	               reads "calibrated" alone, the calibration if there is one
//
// The values are stored layer by layer, beginning with the layer next to the features: weights, row
// after row, with a row for each unit (or feature) below and a column for each unit above; biases;
// and, if the layer is normalized, which the last one is not, gains and shifts. With batch
// normalization there follow, for each hidden layer, the means and the variances of its sums, biases
// included. All values are finite, and variances are not negative.
package nnbaseline

// Limits of a network.
const (
	maxFeatures = 1 << 16
	maxUnits    = 1 << 14 // of a hidden layer
	maxHidden   = 255     // hidden layers
)
