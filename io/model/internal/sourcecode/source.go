// Package sourcecode writes models as source code in Go, C or Java. The code needs no libraries; in Go and C,
// not even the standard library.
//
// # The code
//
// A Go file is a package with
//
//	const NumFeatures = 136
//	var FeatureNames = [NumFeatures]string{...}
//	func Score(row []float64) float64
//
// and a C file, in C99 for hosted and freestanding environments, has, with the name in [Options],
//
//	#define RANKER_NUM_FEATURES 136
//	const char *const ranker_feature_names[RANKER_NUM_FEATURES];
//	double ranker_score(const double *row);
//
// and a Java file, for Java 8 and newer, is a class with
//
//	public static final int NUM_FEATURES = 136;
//	public static String[] featureNames()
//	public static double score(double[] row)
//
// A model with query context has a function for the documents of a query instead, because its scores depend
// on all of them: ScoreQuery(rows) in Go, ranker_score_query(rows, count, scores) in C and scoreQuery(rows)
// in Java. It computes the columns by the formulas of package querycontext and equals the model's scores in
// every bit. It allocates memory, and uses math and slices in Go and the standard library in C.
//
// A calibrated model also has a function for the probability of a score: Probability(score) in Go,
// ranker_probability(score) in C and probability(score) in Java. Platt's sigmoid takes the exponential
// function of the standard library, so that its last bits depend on the library; isotonic probabilities are
// the model's in every bit.
//
// row has a value for each feature, in the order of the names; NaN is a missing value. Scoring
// allocates nothing and may run in any number of threads.
//
// The rest of the file consists of tables of all nodes, all leaf values and the roots of the trees. The row
// of a node is {feature, threshold, decision, left, right}. The decision has the bits of [tree.Decision], and
// 16 for a threshold of +Inf. Children are row numbers in the table of nodes, and a child c < 0 is leaf ^c.
// Models with categorical splits or linear leaves have additional tables. In Java, tables are texts, because
// the arrays of a class cannot be initialized with more than a few thousand numbers.
//
// # Exactness
//
// Everything is float64, the comparison is value <= threshold, and numbers are decimals that read back as the
// same bits. The score equals the model's in every bit, for every row and all missing types, including
// averages and linear leaves. C needs IEEE arithmetic: the file does not compile with -ffast-math, or for
// targets that compute double in a wider type. Java needs version 17, or a processor that computes double in
// its own width, as all current ones do.
package sourcecode

import (
	"bytes"
	"embed"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Language is a programming language. To add one, add an entry below and a template.
type Language struct {
	Target   string // the name of the target, and of the template
	Format   string // the format of the files, in messages
	LoadedBy string
	Run      string // how the scores of test vectors are compared
	Name     string // of the code, if its user gives none
	AnyBytes bool   // names of features may be any bytes

	checkName func(name string) error
	fault     func(feature string) string // tells why it cannot hold a name; nil if it holds any
	quote     func(feature string) string // the row of a feature
}

// The languages.
var (
	Go = &Language{
		Target: "go", Format: "Go source", LoadedBy: "a Go compiler; no imports",
		Run:  "compile it, and compare Score(row) with the score of each row",
		Name: "ranker", AnyBytes: true, checkName: checkLowerName, quote: strconv.Quote,
	}
	C = &Language{
		Target: "c", Format: "C source", LoadedBy: "a C99 compiler; no library",
		Run:  "compile it, and compare NAME_score(row) with the score of each row",
		Name: "ranker", AnyBytes: true, checkName: checkLowerName, quote: quoteC,
	}
	Java = &Language{
		Target: "java", Format: "Java source", LoadedBy: "a Java compiler, 8 and newer; no library",
		Run:  "compile it, and compare NAME.score(row) with the score of each row",
		Name: "Ranker", checkName: checkJavaName, fault: javaFault, quote: quoteJava,
	}
	Languages = []*Language{Go, C, Java}
)

// A template has a line for each row of the tables of a [file]. Where Contexts has any, it scores all
// documents of a query.
//
//go:embed *.tmpl
var templates embed.FS

// text returns the template of the language.
func (l *Language) text() string {
	data, err := templates.ReadFile(l.Target + ".tmpl")
	if err != nil {
		panic(err) // the template of a language does not exist
	}
	return string(data)
}

// ErrFormat: the model cannot be written as code.
var ErrFormat = document.Kind(document.ErrFormat, "not source code of a model")

// Is reports whether data, the content of a file or its first 200 bytes, looks like code that
// [Language.Write] has written.
func (l *Language) Is(data []byte) bool {
	first, _, _ := strings.Cut(l.text(), "\n")
	return bytes.HasPrefix(data, []byte(first+"\n"))
}

// Capabilities returns what source code can hold, which is everything.
func Capabilities() engine.Capabilities {
	c := engine.Everything("source code")
	c.Context, c.Calibration = true, true
	return c
}

// Write writes e, which must be valid. In Go and C, name is the package or the prefix of names: lower-case
// letters, digits and underscores, starting with a letter. In Java it is the name of the class, which starts
// with an upper-case letter, optionally with its package, such as com.shop.Ranker. The bytes depend only on e
// and name. Errors wrap [engine.ErrName], [document.ErrNumber] or ErrFormat, or come from w.
func (l *Language) Write(w io.Writer, e *tree.Ensemble, name string) error {
	if err := l.checkName(name); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	f, err := newFile(e)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if l.fault != nil {
		if err := engine.CheckNames(e.Features[:len(f.Features)], l.fault); err != nil {
			return fmt.Errorf("source: %w", err)
		}
	}
	dot := strings.LastIndexByte(name, '.')
	f.Package, f.Name = name[:max(dot, 0)], name[dot+1:]
	out, err := l.execute(f)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// execute returns the text of a file.
func (l *Language) execute(f *file) ([]byte, error) {
	for i, name := range f.Features {
		f.Features[i] = l.quote(name)
	}
	var texts javaTexts
	functions := template.FuncMap{"upper": strings.ToUpper, "texts": texts.join}
	t := template.Must(template.New(l.Target).Funcs(functions).Parse(l.text()))
	var out bytes.Buffer
	if err := t.Execute(&out, f); err != nil {
		return nil, err
	}
	return out.Bytes(), texts.check()
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func checkLowerName(name string) error {
	if !nameForm.MatchString(name) || token.IsKeyword(name) {
		return fmt.Errorf("%w: %q cannot name a package or begin a name; write lower-case letters, digits and "+
			"underscores, the first a letter", engine.ErrName, name)
	}
	return nil
}

// quoteC returns s as a C string literal. Printable ASCII stays unchanged, and other bytes are octal.
// Question marks are escaped, because two of them could begin a trigraph.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '?':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
