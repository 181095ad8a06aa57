// Package nnbaseline trains neural rankers on the data and by the metrics that
// trees are trained with, so that the two can be compared.
//
// A ranker is a multilayer perceptron that scores one document at a time. Its
// inputs are the features, compressed by sign(x)·log1p(|x|) and standardized by
// mean and deviation over the training rows. Each hidden layer is a linear map,
// perhaps a normalization, ReLU and, in training, dropout; the output is linear.
package nnbaseline

// maxUnits is the largest width of a hidden layer.
const maxUnits = 1 << 14
