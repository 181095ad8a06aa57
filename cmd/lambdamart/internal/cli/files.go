package cli

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/scoring"
)

// input is a file that a command reads or writes, with the parameter that names it, which is empty for a bare
// argument.
type input struct{ Parameter, Path string }

// String returns the file as written on the command line.
func (in input) String() string {
	if in.Parameter == "" {
		return in.Path
	}
	return in.Parameter + "=" + in.Path
}

// inputsOf returns the files that a parameter names. It leaves out empty paths.
func inputsOf(parameter string, paths ...string) (inputs []input) {
	for _, path := range paths {
		if path != "" {
			inputs = append(inputs, input{parameter, path})
		}
	}
	return inputs
}

// ReadModel reads a model file, reports warnings about it, and returns the SHA-256 of the file in
// hexadecimal.
func ReadModel(path string, messages *Console) (m lambdamart.Model, sum string, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		hash := sha256.New()
		if m, err = lambdamart.ReadModelFrom(io.TeeReader(r, hash)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum = fmt.Sprintf("%x", hash.Sum(nil))
		if remark := scoring.RemarkOf(m); remark != "" {
			messages.Warn(path + ": " + remark)
		}
		return nil
	})
	return m, sum, err
}

// ReadShared is like [ReadModel], for a file that must be the same on all peers.
func (e *Env) ReadShared(path string) (lambdamart.Model, error) {
	m, sum, err := ReadModel(path, e.Messages)
	if err != nil {
		return nil, err
	}
	var words []int64
	for _, c := range sum {
		words = append(words, int64(c))
	}
	if !e.Peers.Same(words) {
		return nil, fmt.Errorf("%s: %w", path, data.ErrUnequal)
	}
	return m, nil
}

// SaveModel writes a model file as SaveFile does. If that fails, it writes the model elsewhere, because a
// training run may have taken days, and the error has the path.
func SaveModel(path string, m lambdamart.Model, messages *Console) error {
	write := func(w io.Writer) error { return lambdamart.WriteModelTo(w, m) }
	err := SaveFile(path, write, messages)
	if err == nil {
		return nil
	}
	if where, failed := stream.Rescue(path, write); failed == nil {
		return fmt.Errorf("%w; the model is in %s instead: move it", err, where)
	}
	if !term.IsTerminal(int(os.Stdout.Fd())) && stream.WriteFile("-", write) == nil {
		return fmt.Errorf("%w; the model went to standard output instead", err)
	}
	return fmt.Errorf("%w; the model could not be written elsewhere either", err)
}

// SaveFile writes a file, and emits an event with its size and hash.
func SaveFile(path string, write func(io.Writer) error, messages *Console) error {
	hash, size := sha256.New(), int64(0)
	err := WriteOutput(path, func(w io.Writer) error {
		return write(io.MultiWriter(w, hash, (*stream.ByteCount)(&size)))
	})
	if err != nil {
		return err
	}
	sum := fmt.Sprintf("%x", hash.Sum(nil))
	name := path
	if path == "" || path == "-" {
		name = "standard output"
	}
	messages.Say("saved", fmt.Sprintf("wrote %s (%s bytes, sha256 %s)", name, wording.Thousands(size), sum),
		"path", path, "bytes", size, "sha256", sum)
	return nil
}

// CheckPlain returns an error for an output whose name implies compression: outputs are not compressed.
func CheckPlain(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); slices.Contains([]string{".gz", ".gzip", ".zst", ".zstd"},
		ext) {
		return Usagef("%s: the file would not be compressed; leave %s out, and compress it afterwards", path, ext)
	}
	return nil
}

// WriteOutput writes the file that an output parameter names, or standard output if it is "-" or empty.
func WriteOutput(path string, write func(io.Writer) error) error {
	return stream.WriteFile(cmp.Or(path, "-"), write)
}

// Shown are results that people see as a page, which is one file of HTML, or as text, and programs as JSON.
type Shown interface {
	Write(page io.Writer) error
	Text(io.Writer) error
	JSON(io.Writer) error
}

// Show writes the results of a command: the page, if its path is not empty, and then text or JSON to standard
// output, and with JSON the text to a caller that wants it.
func Show(env *Env, results Shown, page string, asJSON bool) error {
	if page != "" {
		if err := SaveFile(page, results.Write, env.Messages); err != nil {
			return err
		}
	}
	if !asJSON {
		return results.Text(env.Stdout)
	}
	if env.Caller.Text != nil {
		if err := results.Text(env.Caller.Text); err != nil {
			return err
		}
	}
	return results.JSON(env.Stdout)
}

// checkFiles returns an error for an output among the parameters of a table whose name implies compression,
// or that would replace an input, a companion of an input, or another output, and for several inputs that are
// standard input. words are arguments without "=", which are inputs if they are names of files.
func checkFiles(table param.Table, words []string) error {
	outputs, inputs := files(table, param.Written), append(named(table, param.Read), inputsOf("", words...)...)
	if err := checkStandardInput(inputs); err != nil {
		return err
	}
	for i, out := range outputs {
		if err := CheckPlain(out.Path); err != nil {
			return err
		}
		for _, in := range inputs {
			if samePath(in.Path, out.Path) {
				return Usagef("%v would be overwritten by the output %v: name another file", in, out)
			}
			for _, ending := range data.Companions(in.Path) {
				if companion := filepath.Clean(in.Path) + ending; samePath(companion, out.Path) {
					return Usagef("%v would be read as a companion of %v: name another file", out, in)
				}
			}
		}
		for _, other := range outputs[:i] {
			if samePath(other.Path, out.Path) {
				return Usagef("%v and %v are one file: name a file of its own for each", other, out)
			}
		}
	}
	return nil
}

// reserve keeps other runs from writing the outputs until release is called. Otherwise, if two runs wrote to
// the same model, one model would be lost. Only the first of several processes writes them.
func (e *execution) reserve() (release func(), err error) {
	if e.Peers.Rank() > 0 {
		return func() {}, nil
	}
	var releases []func()
	release = func() {
		for _, release := range releases {
			release()
		}
	}
	for _, out := range files(e.Table, param.Written) {
		one, err := stream.Reserve(out.Path)
		if err != nil {
			release()
			return nil, fmt.Errorf("%v: %w", out, err)
		}
		releases = append(releases, one)
	}
	return release, nil
}

// probe refuses outputs that cannot be written. If the folder of results does not exist yet, it stands for
// the files that will be written into it.
func (e *execution) probe() error {
	folder := ""
	if e.command.Folder {
		folder = e.Table.Find("output").Value.String()
	}
	if folder == "-" {
		return Usagef("output=-: the results are several files; name a folder")
	}
	for _, out := range files(e.Table, param.Written) {
		path := out.Path
		switch {
		case folder == "":
		case out.Parameter == "output":
			continue
		case filepath.Clean(filepath.Dir(path)) == filepath.Clean(folder):
			if _, err := os.Stat(folder); err != nil {
				path = folder
			}
		}
		if err := stream.Probe(path); err != nil {
			return err
		}
	}
	return nil
}

// CheckCompanions returns an error if the path of an output has companions of an earlier file, which would be
// read with the new data. Those with the endings in written will be replaced.
func CheckCompanions(output string, written ...string) error {
	for _, ending := range data.Companions(output) {
		old := filepath.Clean(output) + ending
		if _, err := os.Stat(old); err == nil && !slices.Contains(written, ending) {
			return Usagef("%s exists and would be read with the output, which it does not belong to: remove it, or "+
				"name another output", old)
		}
	}
	return nil
}

// files returns the files that the parameters of a table name for a use, without standard input and output.
func files(table param.Table, use param.FileUse) []input {
	return slices.DeleteFunc(named(table, use), func(in input) bool { return in.Path == "-" })
}

// named returns what the parameters of a table name for a use.
func named(table param.Table, use param.FileUse) (found []input) {
	for i := range table {
		row := &table[i]
		if row.File != use || row.Inert {
			continue
		}
		paths := []string{row.Value.String()}
		if row.Repeat {
			paths = strings.Split(paths[0], ",")
		}
		found = append(found, inputsOf(row.Name, paths...)...)
	}
	return found
}

// checkStandardInput returns an error if standard input is among the inputs more than once: the second one
// would get its end or, of a file, the same data again.
func checkStandardInput(inputs []input) error {
	var first *input
	for _, in := range inputs {
		if in.Path != "-" {
			continue
		}
		if first != nil {
			return Usagef("%v and %v: standard input can be read once only; save it to a file", *first, in)
		}
		first = &in
	}
	return nil
}

// samePath reports whether two paths are one file, which need not exist. It returns false for devices and
// pipes, which may be used twice.
func samePath(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB) && (infoA.Mode().IsRegular() || infoA.IsDir())
	}
	return errA != nil && errB != nil && resolved(a) == resolved(b)
}

// resolved returns the absolute path of a file, without the symbolic links that lead to it.
func resolved(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return stream.Target(absolute)
}
