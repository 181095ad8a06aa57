package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// AutoHeader and the constants after it are values of Options.Header: whether the first line of text names
// the columns. An empty value means AutoHeader; "+" and "1" also mean true, and "-" and "0" false.
const (
	// it does if a column is chosen by name, or the cell of the label is not a number
	AutoHeader    = "auto"
	WithHeader    = "true"
	WithoutHeader = "false"
)

// Options control how ranking data is read from a table.
//
// A column is chosen by name, "name:relevance" or "relevance", or by number from 0, as LightGBM
// does: Label counts all columns, the others leave out the label's.
type Options struct {
	Format Format // CSV, TSV or Parquet; LETOR text has no columns
	Header string

	Label  string // empty: the first column
	Query  string // empty: the column that is named as queries usually are; NoColumn: none
	Weight string // empty: no column
	Place  string // for the position at which the document was shown; empty: no column
	Doc    string // for document ids; empty: no column
	Ignore string // several, separated by commas; "name:" is once before all

	LabelName string   // of the label, if objectives and metrics name it
	More      []string // names of the columns of further labels

	// Model describes the features that the columns are matched to; nil makes the columns features
	// themselves. With a model, the table may lack the columns of More and Place.
	Model *dataset.Features

	// NoLabels leaves labels out, so that data without them can be scored. A column that is named
	// but missing is not an error then, except Doc if Docs is true.
	NoLabels bool
	Docs     bool // document ids are wanted, which take memory

	// Score, if not empty, is the name of the only column that becomes a feature, for documents that have
	// been scored already. Labels may then be missing or NaN, and scores infinite.
	Score string

	// Categorical chooses the features whose texts become categories (histogram.BinParams has its form).
	// It is used without Model: a model has dictionaries.
	Categorical string
	Begin       map[string][]string // texts of such features, by name, which are the first categories

	Workers  int                     // goroutines; 0 means GOMAXPROCS
	Progress func(read, total int64) // stored bytes; may be nil

	blockSize int // of text; 0 means the default
}

// NoColumn is the value of Options.Query for data without a query column: the companion .query has the
// queries, and a column named like a query column is a feature.
const NoColumn = "none"

// What a column is if it is not a feature.
const (
	labelColumn   = -1
	queryColumn   = -2
	weightColumn  = -3
	ignoredColumn = -4
	placeColumn   = -5
	docColumn     = -6
	furtherLabel  = -7 // the first of columns.more; the next ones have lower numbers
)

// columns are the columns of a table and their roles.
type columns struct {
	names        []string      // by column; nil if there are none
	role         []int         // feature number, or one of the constants above
	features     []string      // names by feature number
	label        int           // column of the label, -1 if there is none
	more         []string      // names of the further labels that are read
	scores       bool          // the only feature is a score, or the label is it
	infinite     bool          // values of features may be infinite
	dictionaries []*dictionary // by column; nil for columns of numbers
	GuessedQuery bool          // the column of the query ids was chosen by its name
	Remarks      []string      // what a user should know about the choice of columns, a sentence each
	Doubt        string        // a warning about the order of the columns, which nothing can check
}

// with returns the column that has a role, -1 if there is none.
func (c *columns) with(role int) int { return slices.Index(c.role, role) }

// has reports whether a column has a role.
func (c *columns) has(role int) bool { return c.with(role) >= 0 }

// find gives each of n columns its role. names has the names of the columns, or is nil.
//
// Features are numbered as in LightGBM: by their place among the columns other than the label. Columns of
// queries and weights and ignored columns keep their numbers, as features that are zero in all rows.
//
// holdsIDs reports whether a column can hold query ids, and isIndex whether it is the index of a data frame.
func (o *Options) find(path string, names []string, n int, holdsIDs, isIndex func(column int) bool) (*columns,
	error) {
	hasCompanion := rows.CompanionsOf(path).Exists(".query")
	if path == "-" {
		path = "standard input"
	}
	c := &columns{names: names, role: make([]int, n), label: -1, infinite: o.Model != nil && o.Model.Infinite}
	f := &finder{columns: c, path: path, taken: map[int]string{}}
	c.label = o.findLabel(f, isIndex)
	c.number()
	o.findSpecial(f)
	if o.Score != "" {
		f.keepScore(o.Score)
	}
	if o.Query == "" {
		o.guessQuery(f, hasCompanion, holdsIDs)
	}
	if o.Score == "" {
		c.leaveOutIndex(o.Model, isIndex)
		f.checkNames(o.Model == nil)
	}
	if f.err == nil && !c.has(queryColumn) && !hasCompanion && !o.NoLabels {
		f.err = &dataset.Error{Path: path, Err: ErrNoQueries}
	}
	if f.err == nil && o.Model != nil {
		f.err = c.match(path, o.Model)
	}
	if o.NoLabels && c.label >= 0 {
		c.role[c.label] = ignoredColumn
	}
	if f.err == nil && o.Model != nil && o.Model.NoTable != nil {
		f.err = &dataset.Error{Path: path, Err: o.Model.NoTable}
	}
	o.findDictionaries(f)
	return c, f.err
}

// need is which faults in the choice of a column are errors. After others, no column is chosen.
type need int

const (
	required need = iota // all
	byNumber             // all but a name that no column has
	optional             // none
)

// need returns how much a column is needed that data to be scored may lack.
func (o *Options) need() need {
	if o.NoLabels {
		return byNumber
	}
	return required
}

// findSpecial finds the columns that are no features. Training data must have all of them, which would be
// learned otherwise; other data may lack those that only training or nothing reads.
func (o *Options) findSpecial(f *finder) {
	if !o.NoLabels || o.Label != "" {
		f.take(labelSetting(o.Label), f.label)
	}
	for _, ignored := range o.ignored() {
		if column := f.choose("ignore_column", ignored, o.need()); column >= 0 && column != f.label {
			f.role[column] = ignoredColumn
		}
	}
	if o.Query != NoColumn {
		o.give(f, queryColumn, "group_column", o.Query, o.need())
	}
	o.give(f, weightColumn, "weight_column", o.Weight, o.need())
	further, place, doc, training := furtherLabel, placeColumn, docColumn, optional
	switch {
	case o.NoLabels:
		further, place = ignoredColumn, ignoredColumn
	case o.Model == nil:
		training = required
	}
	for _, name := range o.More {
		o.give(f, further, "label_columns", namePrefix+name, training)
	}
	o.give(f, place, "position_column", o.Place, training)
	if o.Docs {
		training = required
	} else {
		doc = ignoredColumn
	}
	o.give(f, doc, "docid_column", o.Doc, training)
}

// give gives the column that a parameter chooses its role.
func (o *Options) give(f *finder, role int, parameter, choice string, n need) {
	column, setting := f.choose(parameter, choice, n), parameter+"="+choice
	f.take(setting, column)
	switch {
	case column < 0 || f.err != nil:
	case f.role[column] == ignoredColumn && role != queryColumn && role != weightColumn:
		f.err = &dataset.Error{Path: f.path, Err: ErrTwoRoles, Detail: setting + " and ignore_column=" + o.Ignore}
	case role == furtherLabel:
		f.role[column] = furtherLabel - len(f.more)
		f.more = append(f.more, strings.TrimPrefix(choice, namePrefix))
	default:
		f.role[column] = role
	}
}

// keepScore makes the column with the score the only feature, unless it is the label.
func (f *finder) keepScore(score string) {
	column := f.choose("score_field", namePrefix+score, required)
	if f.err != nil {
		return
	}
	for i, role := range f.role {
		if role >= 0 {
			f.role[i] = ignoredColumn
		}
	}
	f.scores, f.infinite, f.features = true, true, nil
	if column != f.label {
		f.take("score_field="+score, column)
		f.role[column], f.features = 0, []string{score}
	}
}

// setNumber sets a number of a row that is not a feature: a label or its weight.
func (c *columns) setNumber(row *rows.Row, role int, v float64) error {
	finite := !math.IsInf(v, 0) && !math.IsNaN(v)
	switch role {
	case labelColumn:
		if row.Label = v; !finite && (!c.scores || math.IsInf(v, 0)) {
			return dataset.ErrLabelFinite
		}
	case weightColumn:
		if row.Weight = v; !finite || v < 0 {
			return ErrWeight
		}
	default:
		if row.More[furtherLabel-role] = v; !finite {
			return dataset.ErrLabelFinite
		}
	}
	return nil
}

// ignored splits the list of ignored columns.
func (o *Options) ignored() []string {
	if o.Ignore == "" {
		return nil
	}
	list, named := strings.CutPrefix(o.Ignore, namePrefix)
	parts := strings.Split(list, ",")
	if named {
		for i := range parts {
			parts[i] = namePrefix + parts[i]
		}
	}
	return parts
}

// findLabel returns the column of labels, or -1. Data to be scored has no label column, unless one is chosen
// by name, if the first column is a feature of the model or the table has exactly as many columns as the
// model has features. The index of a data frame is not counted as the first column.
func (o *Options) findLabel(f *finder, isIndex func(column int) bool) int {
	choice, asTrained := o.Label, false
	if choice == "" {
		choice = "0"
		if o.Model != nil && (o.fitsByOrder(f) || o.beginsAsTrained(f)) {
			choice, asTrained = strconv.Itoa(o.Model.Label), o.Model.Label > 0 && !o.fitsByOrder(f)
		}
	}
	label := f.choose("label_column", choice, o.need())
	if label < 0 {
		return -1
	}
	for o.Label == "" && label+1 < len(f.role) && isIndex(label) {
		label++
	}
	if o.NoLabels && o.Model != nil && isNumber(choice) && o.isOnlyFeatures(f, label) {
		return -1
	}
	if o.Label == "" && !asTrained && !o.NoLabels && f.names != nil {
		o.checkGuessedLabel(f, label)
	}
	return label
}

// fitsByOrder reports whether columns are matched to the model by their order, since names do not tell.
func (o *Options) fitsByOrder(f *finder) bool {
	return f.names == nil || len(o.Model.Names) == 0 || byfeature.ByOrder(o.Model.Names, f.names)
}

// beginsAsTrained reports whether the columns before the label of the model's training data are those of the
// table, too, so that the next one is the label here as there. In another table, any column may be there.
func (o *Options) beginsAsTrained(f *finder) bool {
	label, trained := o.Model.Label, o.Model.Names
	if label >= len(f.names) || label > len(trained) || slices.Contains(trained, f.names[label]) {
		return false
	}
	for column := range label {
		if f.nameInModel(column) != trained[column] {
			return false
		}
	}
	return true
}

// isOnlyFeatures reports whether a table to be scored has the model's features and no label.
func (o *Options) isOnlyFeatures(f *finder, label int) bool {
	if f.names != nil && slices.Contains(o.Model.Names, f.names[label]) {
		return true
	}
	return len(f.role) == len(o.Model.Names) &&
		(f.names == nil || !isLabelName(f.names[label]) && byfeature.ByOrder(o.Model.Names, f.names))
}

// checkGuessedLabel refuses the first column as the label if its name is that of something else, such as a
// feature of the model, or another column is named like the label, which would be learned as a feature.
func (o *Options) checkGuessedLabel(f *finder, label int) {
	name := f.names[label]
	other := slices.IndexFunc(f.names, isLabelName)
	switch {
	case isQueryName(name):
		f.err = &dataset.Error{Path: f.path, Err: ErrQueryLabel, Detail: name}
	case other >= 0 && !isLabelName(name):
		f.err = &dataset.Error{Path: f.path, Field: name, Err: ErrOtherLabel,
			Detail: fmt.Sprintf("label_column=name:%s, or label_column=%d for %s", f.names[other], label, name)}
	case o.Model != nil && slices.Contains(o.Model.Names, name):
		f.err = &dataset.Error{Path: f.path, Field: name, Err: ErrFeatureLabel}
	}
}

// leaveOutIndex ignores the columns that are the index of a data frame, whose row numbers a model would
// learn, unless they were chosen for something else or the model has them.
func (c *columns) leaveOutIndex(model *dataset.Features, isIndex func(column int) bool) {
	for column, role := range c.role {
		if role >= 0 && isIndex(column) &&
			(model == nil || !slices.Contains(model.Names, c.names[column])) {
			c.role[column] = ignoredColumn
			c.Remarks = append(c.Remarks, fmt.Sprintf("column %q is the index of a data frame, and is not a "+
				"feature (reset_index makes it one)", c.names[column]))
		}
	}
}

// noteZones notes columns of times with a zone, which are read as texts.
func (c *columns) noteZones(isZoned func(column int) bool) {
	for column, role := range c.role {
		if role != ignoredColumn && isZoned(column) {
			c.Remarks = append(c.Remarks, fmt.Sprintf("column %q has times with a zone, which are shown in UTC",
				c.names[column]))
		}
	}
}

// namePrefix distinguishes the name of a column from a number.
const namePrefix = "name:"

func isNumber(choice string) bool {
	_, err := strconv.ParseUint(choice, 10, 31)
	return err == nil
}

// finder finds the columns that were chosen, and keeps the first error.
type finder struct {
	*columns
	path  string
	taken map[int]string // by column, the parameter that chose it as the label, the query …, and its value
	err   error
}

// labelSetting returns the choice of the label as messages show it.
func labelSetting(choice string) string {
	if choice == "" {
		return "label_column, the first column if it is not given"
	}
	return "label_column=" + choice
}

// take records that a setting chose a column. It is an error if another setting chose the same one, since the
// column would silently lose one of its roles. take does nothing for column -1.
func (f *finder) take(setting string, column int) {
	if f.err != nil || column < 0 {
		return
	}
	if other, taken := f.taken[column]; taken {
		f.err = &dataset.Error{Path: f.path, Err: ErrTwoRoles, Detail: setting + " and " + other}
	}
	f.taken[column] = setting
}

// choose returns the column that a parameter chooses, or -1.
func (f *finder) choose(parameter, choice string, n need) (column int) {
	if choice == "" || f.err != nil {
		return -1
	}
	fault := &dataset.Error{Path: f.path, Err: ErrNoColumn}
	switch name := Name(strings.TrimPrefix(choice, namePrefix)); {
	case isNumber(choice):
		column = f.byNumber(choice)
		fault.Detail = fmt.Sprintf("%s=%s; there are %s", parameter, choice, wording.Count(len(f.role), "column"))
	case f.names == nil:
		column, fault.Err, fault.Detail = -1, ErrNoHeader, parameter+"="+choice
	default:
		column = slices.Index(f.names, name)
		fault.Field, fault.Detail = name, "there are "+wording.List(f.names, mostListed)
	}
	if column < 0 && (n == required || n == byNumber && fault.Field == "") {
		f.err = fault
	}
	return column
}

// byNumber returns the column that a number chooses, which does not count the label's; -1 if there is none.
func (f *finder) byNumber(choice string) int {
	column, _ := strconv.Atoi(choice)
	if f.label >= 0 && column >= f.label {
		column++
	}
	if column >= len(f.role) {
		return -1
	}
	return column
}

// mostListed is the number of columns that an error names.
const mostListed = 12

// number makes all columns but the label features, and names them.
func (c *columns) number() {
	for column := range c.role {
		c.role[column] = labelColumn
		if column != c.label {
			c.role[column] = len(c.features)
			c.features = append(c.features, c.nameInModel(column))
		}
	}
}

// nameInModel returns the name of a column as a feature: the number, if the column has no name, or one that a
// model cannot hold.
func (c *columns) nameInModel(column int) string {
	if c.names != nil && c.names[column] != "" && !strings.ContainsAny(c.names[column], unfit) {
		return c.names[column]
	}
	return "Column_" + strconv.Itoa(c.withoutLabel(column))
}

// unfit are the characters that names of features cannot have in model files.
const unfit = `",:[]{}`

// checkNames refuses features whose names a model cannot hold, and a feature without a name, which is usually
// a row number.
func (f *finder) checkNames(strict bool) {
	for column, name := range f.names {
		switch {
		case f.err != nil || f.role[column] < 0:
		case strict && strings.ContainsRune(name, utf8.RuneError):
			f.err = &dataset.Error{Path: f.path, Field: name, Err: ErrEncoding}
		case strict && strings.ContainsAny(name, unfit):
			f.err = &dataset.Error{Path: f.path, Field: name, Err: ErrName, Detail: f.leaveOut(column)}
		case name == "":
			f.err = &dataset.Error{Path: f.path, Err: ErrNameless,
				Detail: fmt.Sprintf("column %d; %s", column+1, f.leaveOut(column))}
		}
	}
}

// leaveOut says how to ignore a column, by its number as ignore_column counts.
func (c *columns) leaveOut(column int) string {
	return fmt.Sprintf("ignore_column=%d leaves it out", c.withoutLabel(column))
}

// withoutLabel returns the number of a column among those other than the label. It is
// the reverse of finder.byNumber.
func (c *columns) withoutLabel(column int) int {
	if c.label >= 0 && column > c.label {
		return column - 1
	}
	return column
}

// absent returns the numbers of the features that are not read, ascending.
func (c *columns) absent() []int {
	read := make([]bool, len(c.features))
	for _, role := range c.role {
		if role >= 0 {
			read[role] = true
		}
	}
	list := []int{}
	for f := range read {
		if !read[f] {
			list = append(list, f)
		}
	}
	return list
}

// slots returns the numbers of the features, ascending, and the place of each column among them: -1
// for a column that is not a feature.
func (c *columns) slots() (slots []int, features []int32) {
	for _, role := range c.role {
		if role >= 0 {
			features = append(features, int32(role))
		}
	}
	slices.Sort(features)
	for _, role := range c.role {
		slot := -1
		if role >= 0 {
			slot, _ = slices.BinarySearch(features, int32(role))
		}
		slots = append(slots, slot)
	}
	return slots, features
}

// match gives the features the numbers that they have in the model: by name, or in their order if the table
// or the model has no names. The order counts columns that are not features, as LightGBM does, unless there
// are as many features without them.
func (c *columns) match(path string, model *dataset.Features) error {
	own := c.ownNames()
	inOrder := len(model.Names) > 0 && (c.names == nil || byfeature.ByOrder(model.Names, own))
	countsAll := len(c.features) == len(model.Names)
	if inOrder && !countsAll && len(own) != len(model.Names) {
		return &dataset.Error{Path: path,
			Err: fmt.Errorf("%w than %s, and no names by which to match them", ErrFeatures, owner(model)),
			Detail: fmt.Sprintf("%s that are not the label, %s; write the names into both files, or "+
				"leave the other columns out by ignore_column=", wording.Count(len(c.features), "column"),
				wording.Count(len(model.Names), "feature"))}
	}
	if inOrder {
		c.Doubt = c.doubtOfOrder(model.Names, own)
	}
	needed := c.needed(model)
	number := make(map[string]int, len(needed))
	for _, f := range needed {
		number[model.Names[f]] = f
	}
	found := make([]bool, len(model.Names))
	place := -1 // of the column among those that are features
	for column, role := range c.role {
		if role < 0 {
			continue
		}
		place++
		name := c.features[role]
		switch {
		case inOrder && countsAll:
			name = model.Names[role]
		case inOrder:
			name = model.Names[place]
		}
		f, isNeeded := number[name]
		c.role[column] = ignoredColumn
		if isNeeded {
			c.role[column], found[f] = f, true
		}
	}
	c.features = model.Names
	return c.checkFound(path, model, needed, found)
}

// doubtOfOrder returns what is doubtful about columns that are taken in the order of the model's features.
// own are the names of the columns.
func (c *columns) doubtOfOrder(model, own []string) string {
	switch {
	case c.names == nil && !byfeature.AreNumbers(model):
		return fmt.Sprintf("has no names of columns, so they are taken in the order of the training data (%s)",
			wording.List(model, mostListed))
	case c.names != nil && !byfeature.AreNumbers(own):
		return byfeature.OrderRemark(model, own)
	}
	return ""
}

// ownNames returns the names of the columns that are features.
func (c *columns) ownNames() (names []string) {
	for _, role := range c.role {
		if role >= 0 {
			names = append(names, c.features[role])
		}
	}
	return names
}

// owner returns what has the features, for errors.
func owner(f *dataset.Features) string {
	if f.OfTraining {
		return "the training data"
	}
	return "the model"
}

// needed returns the numbers of the features that the table must have. If the model does not list them, these
// are all but the columns of queries and weights and the ignored columns, which
// are features of the model too.
func (c *columns) needed(model *dataset.Features) []int {
	if model.Used != nil {
		return model.Used
	}
	special := map[string]bool{}
	for column, role := range c.role {
		if role < 0 && column != c.label && c.names != nil {
			special[c.nameInModel(column)] = true
		}
	}
	var needed []int
	for f, name := range model.Names {
		if !special[name] {
			needed = append(needed, f)
		}
	}
	return needed
}

// checkFound returns an error if a feature that is needed is missing.
func (c *columns) checkFound(path string, model *dataset.Features, needed []int, found []bool) error {
	var missing []string
	for _, f := range needed {
		if !found[f] {
			missing = append(missing, model.Names[f])
		}
	}
	if missing == nil {
		return nil
	}
	return &dataset.Error{Path: path, Err: fmt.Errorf("%w of %s", ErrNoFeature, owner(model)),
		Detail: "without " + wording.List(missing, mostListed)}
}

// Name returns the name of a column as models have it: trimmed, and with the
// replacements of [wording.FeatureName].
func Name(text string) string { return wording.FeatureName(strings.TrimSpace(text)) }

// unique returns an error if two columns have the same name.
func unique(path string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] && name != "" {
			return &dataset.Error{Path: path, Field: name, Err: ErrRepeated}
		}
		seen[name] = true
	}
	return nil
}
