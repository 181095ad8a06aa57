// Package nnbaseline trains neural rankers on the data and by the metrics that
// trees are trained with, so that the two can be compared.
//
// # Networks
//
// A ranker is a multilayer perceptron that scores one document at a time. Its
// inputs are the features, compressed by sign(x)·log1p(|x|) and then standardized by
// mean and deviation over the training rows: raw values of one feature may differ by
// eight orders of magnitude, and a network that gets them looks unfairly bad. A
// constant feature's input is 0. Each hidden layer is a linear map, perhaps a
// normalization of its sums (over the documents of a step, or over the units of a
// document), ReLU and, in training, dropout; the output is one linear unit.
//
// # Training
//
// The way of a step: some queries, their documents one matrix without padding
// (trainer.go) → scores (pass.go, activate.go, normalize.go) → losses and their
// derivatives by the scores, query by query (loss_*.go) → the gradient (pass.go) → new
// weights (optimizer.go, schedule.go). After an epoch: metrics, and whether to go on
// (package training). The loss of a step is the mean over its queries. Queries that teach
// nothing, those with one document or with equal labels, are left out and counted;
// squared errors learn from all. Initial scores and weights of rows mean what they mean
// to trees: the network adds to the former, and the latter multiply the derivatives by
// the scores.
//
// Constants are PyTorch's: weights of a layer and its biases begin uniformly between
// -1/√in and 1/√in; Adam's rates are 0.9 and 0.999 and its epsilon 1e-8; variances of
// normalization get 1e-5, running ones move by 0.1 a step.
//
// # The same model
//
// The same data, parameters and seed give the same bytes on the same machine, for any
// number of threads: random draws are hashes of what they are for (internal/keyed),
// and workers take rows or units of their own, so that no sum depends on them. Unlike
// trees, networks may differ in last bits between machines, since their matrix
// products are fused where the CPU can do that (internal/gemm).
//
// # Model files, version 1
//
// All numbers are little-endian.
//
//	offset  bytes
//	     0      8  magic: 8b 4c 4d 4e 0d 0a 1a 0a ("\x8bLMN\r\n\x1a\n"; its line
//	               ends show a transfer that took the file for text)
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
//	               least 0). The input of a value x is (c - mean)·scale, rounded to float32, for c = sign(x)·log1p(|x|)
//	               rounded to float32
//	nan            error: a NaN cannot be scored; mean: its input is 0
//	hidden_layers  list of the hidden layers' units, 1 to 16,384 each, that next to the
//	               features first; at most 255 of them
//	normalization  none, batch or layer
//	parameters     object of texts: the parameters of training, for people. Nothing
//	               that scores reads it
//
// The values are those of each layer, from the features up: weights, row after row, a
// row for each unit (or feature) below with a column for each unit above; biases;
// where the layer is normalized, which the last is not, gains and shifts. With batch
// normalization then follow, for each hidden layer, the means and the variances of its
// sums, biases added. All values are finite, and variances are not negative.
package nnbaseline

// Limits of a network.
const (
	maxFeatures = 1 << 16
	maxUnits    = 1 << 14 // of a hidden layer
	maxHidden   = 255     // hidden layers
)
