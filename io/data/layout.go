package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
	"github.com/lambdamart/lambdamart/param"
)

// Layout describes the format of data, and the meaning of the columns of a table. All sets of a training
// run have one Layout. The zero value suits LETOR text, and tables whose first column is the label and whose
// queries are in a column with a usual name or in the companion .query.
type Layout struct {
	Format string // auto, letor, csv, tsv or parquet

	// FeatureBase is the number of the feature of LETOR text that is column 0: 0 (column n is
	// feature n, as in LightGBM) or 1 (column n-1 is feature n). A model that was trained with 1 reads all text
	// with 1.
	FeatureBase int

	// Names are the names of the features of LETOR text: "name:" and a list for the features 1, 2, …, or 0, 1,
	// … of text that has feature 0, or the path of a file with one name on each line, or with a number, a tab
	// and a name on each line. Empty: "Column_n".
	Names string

	// The other fields are about tables. A column is chosen by name, "name:relevance" or "relevance", or by
	// number from 0, as the package documentation explains.
	Header string // auto, true or false
	Label  string // empty: the first column
	// empty: the column named qid, query_id, query or srch_id, else the companion .query; "none": no column
	Query  string
	Weight string // empty: no column
	// Labels are the names of all labels, separated by commas, if there are several: first the label that
	// rows of LETOR text begin with. Further labels of LETOR text are in companions.
	Labels   string
	Position string // of where the document was shown; empty: no column
	Document string // of document ids; empty: no column
	Ignore   string // several, separated by commas; one "name:" comes before all of them
}

// DefaultLayout returns the layout in which everything is detected from the data.
func DefaultLayout() Layout { return Layout{Format: string(table.Auto), Header: table.AutoHeader} }

// Table returns the parameters of the layout, bound to l, with LightGBM's names where it has them.
func (l *Layout) Table() param.Table {
	const group = "Files"
	return param.Table{
		{Name: "feature_base", Group: group,
			Help: "0: feature n of the file is column n of the model, as in LightGBM. 1: it is column n-1, as in " +
				"models trained on matrices from scikit-learn's loader; models trained so keep it.",
			Value: bind.Int(&l.FeatureBase, bind.AtLeast(0), bind.AtMost(1))},
		{Name: "feature_names", Group: group, File: param.Read,
			Help: "Names of the features of LETOR text: a file with a name a line, for the features 1, 2, ... of " +
				"the text, or with lines of the number (or Column_5), a tab and the name; or a list, " +
				"name:NAME,NAME,... The model keeps them.",
			Value: bind.Text(&l.Names)},
		{Name: "data_format", Group: group,
			Help:  "Format of the data files: auto recognizes it by the name, or else by the first bytes.",
			Value: bind.Choice(&l.Format, string(table.Auto), LETOR, CSV, TSV, Parquet)},
		{Name: "header", Aliases: []string{"has_header"}, Group: group,
			Help: "Whether the first line of CSV or TSV names the columns. auto: it does if a column is chosen by " +
				"name, or if the label's cell is not a number.",
			Value: bind.Choice(&l.Header, table.AutoHeader, table.WithHeader, table.WithoutHeader, "+", "-", "1",
				"0")},
		{Name: "label_column", Aliases: []string{"label"}, Group: group,
			Help:  "Column of a table with the relevance grade: name:NAME, or its number from 0; the first if empty.",
			Value: bind.Text(&l.Label)},
		{Name: "group_column", Aliases: []string{"group", "group_id", "query_column", "query", "query_id"},
			Group: group,
			Help: "Column of a table with the id of the query, which may be any text: name:NAME, or its " +
				"number from 0 without the label's. If empty, the column named qid, query_id, query or " +
				"srch_id, or else the .query file; none: the .query file, without a guess.",
			Value: bind.Text(&l.Query)},
		{Name: "weight_column", Aliases: []string{"weight"}, Group: group,
			Help: "Column of a table with the weight of the row: name:NAME, or its number from 0 without the " +
				"label's. If empty, the .weight file has the weights, if there is one.",
			Value: bind.Text(&l.Weight)},
		{Name: "label_columns", Aliases: []string{"labels"}, Group: group,
			Help: "Several labels, such as click,cart,purchase, for objective=lambdarank@purchase:1,binary@cart:.2 " +
				"and metric=ndcg@10@click: columns of a table; of LETOR text, the name of its label, and then names of " +
				"files beside the data, such as train.txt.label.cart, with a number a line. Without @, the first one " +
				"counts.",
			Value: bind.Text(&l.Labels)},
		{Name: "position_column", Aliases: []string{"position"}, Group: group,
			Help: "Column of a table with the position at which the document was shown, one word: " +
				"name:NAME, or its number from 0 without the label's. If empty, the .position file has " +
				"the positions, if there is one. Only training data needs positions.",
			Value: bind.Text(&l.Position)},
		{Name: "docid_column", Aliases: []string{"docid"}, Group: group,
			Help: "Column of a table with the id of the document, which may be any text: name:NAME, or its number " +
				"from 0 without the label's. TREC runs, reports and explanations show ids; LETOR text has them in " +
				"comments (# docid = ID).",
			Value: bind.Text(&l.Document)},
		{Name: "ignore_column", Aliases: []string{"ignore_feature", "blacklist"}, Group: group,
			Help: "Columns of a table that are not features: name:NAME,NAME,... or numbers from 0 without the " +
				"label's.",
			Value: bind.Text(&l.Ignore)},
	}
}

// check returns what is wrong with the layout, or nil. Empty values mean the defaults of [DefaultLayout].
func (l Layout) check() error {
	l.Format, l.Header = cmp.Or(l.Format, string(table.Auto)), cmp.Or(l.Header, table.AutoHeader)
	return errors.Join(l.Table().Check(), l.checkLabels())
}

// LabelNames returns the names of all labels, of which the first is empty if labels have no names.
func (l *Layout) LabelNames() []string {
	return strings.Split(strings.TrimPrefix(l.Labels, named), ",")
}

// checkLabels returns an error for names that cannot be those of labels.
func (l *Layout) checkLabels() error {
	if l.Labels == "" {
		return nil
	}
	if l.Label != "" {
		return fmt.Errorf("label_column=%s and label_columns=%s: leave label_column out; the first of "+
			"label_columns is the label that counts without @", l.Label, l.Labels)
	}
	names := l.LabelNames()
	for i, name := range names {
		if err := wording.CheckLabelName(name); err != nil {
			return fmt.Errorf("label_columns=%s: %w", l.Labels, err)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("label_columns=%s: %s is there twice", l.Labels, name)
		}
	}
	return nil
}
