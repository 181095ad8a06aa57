package sourcecode

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
)

// In Java, tables are texts: the initialization of a class must fit into 64 KB of code, so only a few
// thousand literals fit into an array. A text may have 65,535 bytes, so a table is an array of texts, each
// with as many rows as fit.

// largestText is the largest number of bytes of a text in a class file (JVM specification §4.4.7).
const largestText = 65535

// largestName leaves room in a text for the length of a name and the colon.
const largestName = largestText - 10

// maxTexts is the largest number of texts of a class: the code that makes the arrays, 8 bytes per text,
// must fit into 64 KB (JVM specification §4.7.3).
const maxTexts = 8000

// javaTexts counts the texts of a class.
type javaTexts struct{ count int }

// join returns the lines of a table, one for each row. Each string of the class concatenates as many rows as
// fit. Rows of numbers, which are not quoted, end with a blank. A row takes no more bytes in the class than
// here, because escapes are at least as long as the characters they represent.
func (x *javaTexts) join(table any) []string {
	rows := reflect.ValueOf(table)
	lines := make([]string, rows.Len())
	size := largestText
	for i := range lines {
		row := fmt.Sprint(rows.Index(i))
		if !strings.HasPrefix(row, `"`) {
			row = `"` + row + ` "`
		}
		if size += len(row); size > largestText { // the row begins a new string
			x.count++
			size = len(row)
			if i > 0 {
				lines[i-1] = strings.TrimSuffix(lines[i-1], " +") + ","
			}
		}
		lines[i] = row + " +"
	}
	if last := len(lines) - 1; last >= 0 {
		lines[last] = strings.TrimSuffix(lines[last], " +") + ","
	}
	return lines
}

func (x *javaTexts) check() error {
	if x.count > maxTexts {
		return fmt.Errorf("%w: the model takes %s of 64 KB, and a Java class has room for %d; write fewer "+
			"trees (num_iteration_predict)", document.ErrNumber, wording.Count(x.count, "text"), maxTexts)
	}
	return nil
}

// javaFault tells why a class file cannot hold the name of a feature.
func javaFault(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "it is not UTF-8; features=FILE gives it another name"
	case len(quoteJava(name)) > largestName:
		return "it is too long for a text in Java; features=FILE gives it another name"
	}
	return ""
}

// quoteJava returns the row of a name as a string literal: its length in UTF-16 units, a colon and the name.
// Characters other than printable ASCII are written as octal or Unicode escapes, so the encoding of the file
// does not matter. A backslash is doubled, and Java recognizes no Unicode escape after two backslashes (Java
// Language Specification §3.3).
func quoteJava(name string) string {
	units := utf16.Encode([]rune(name))
	var b strings.Builder
	fmt.Fprintf(&b, `"%d:`, len(units))
	for _, u := range units {
		switch {
		case u == '"' || u == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(u))
		case u < ' ' || u == 0x7f:
			fmt.Fprintf(&b, `\%03o`, u)
		case u > '~':
			fmt.Fprintf(&b, `\u%04x`, u)
		default:
			b.WriteByte(byte(u))
		}
	}
	b.WriteByte('"')
	return b.String()
}

var javaNameForm = regexp.MustCompile(`^([a-z][a-z0-9_]*\.)*[A-Z][A-Za-z0-9_]*$`)

// javaReserved are the words that cannot be part of a package's name (Java Language Specification §3.9).
var javaReserved = strings.Fields(`abstract assert boolean break byte case catch char class const
	continue default do double else enum extends final finally float for goto if implements import instanceof int
	interface long native new package private protected public return short static strictfp super switch
	synchronized this throw throws transient try void volatile while true false null`)

// javaTaken are the names that the class itself uses.
var javaTaken = []string{"Arrays", "Double", "IllegalArgumentException", "Integer", "Long", "Math", "Numbers",
	"Object", "String", "System", "Values"}

func checkJavaName(name string) error {
	parts := strings.Split(name, ".")
	class := parts[len(parts)-1]
	switch {
	case !javaNameForm.MatchString(name):
		return fmt.Errorf("%w: %q cannot name a Java class; write letters, digits and underscores, the first an "+
			"upper-case letter, with the package before it or without, as in com.shop.Ranker", engine.ErrName, name)
	case len(name) > 200:
		return fmt.Errorf("%w: %.60q and on has %d letters, more than the name of a file may have", engine.ErrName,
			name, len(name))
	case slices.Contains(javaTaken, class):
		return fmt.Errorf("%w: the class cannot be called %s, which it uses itself; give model_name another one",
			engine.ErrName, class)
	case len(parts) > 1 && parts[0] == "java":
		return fmt.Errorf("%w: %q: Java does not load classes of packages that begin with java", engine.ErrName,
			name)
	}
	for _, part := range parts {
		if slices.Contains(javaReserved, part) {
			return fmt.Errorf("%w: %q: %s is a word of Java, and cannot name a package", engine.ErrName, name, part)
		}
	}
	return nil
}
