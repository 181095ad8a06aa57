package dataset

// Features describes the features of a model, or of the data that it is trained on. Columns of other data are
// matched to them.
type Features struct {
	Names []string // by number
	Label int      // column of the label in the data that the model was trained on
	Used  []int    // numbers of the features that a table must have; nil means all

	// OfTraining means that these are the features of training data, not of a model. Errors tell which.
	OfTraining bool

	// Infinite means that infinite values are accepted like others, because the model only compares values.
	Infinite bool

	// Dictionaries are the texts of categorical features, by feature: category i is text i.
	Dictionaries map[int][]string

	// Numbering is that of the LETOR text that the model was trained on.
	Numbering Numbering

	// NoZero means that feature 0 did not vary in the training data.
	NoZero bool

	// NoTable, if it is not nil, is the reason why a table cannot be read for the model.
	NoTable error
}
