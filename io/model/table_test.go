package model

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// The tests of this file run on every entry of the table, so they also cover new entries.

// sample returns a random model that does not use its first feature, as in models of LETOR files.
func sample(m treetest.Model) *tree.Ensemble {
	m.Trees, m.Leaves, m.Features, m.Float32 = 5, 8, 3, true
	e := m.Make(rand.New(rand.NewPCG(1, 2)))
	for i := range e.Trees {
		for node := range e.Trees[i].Feature {
			e.Trees[i].Feature[node] = 1 + e.Trees[i].Feature[node]%2
			if m.Categorical { // the first used feature is numeric, the second categorical
				e.Trees[i].Feature[node] = 1 + int32(e.Trees[i].Decision[node]&tree.Categorical)
			}
		}
		if l := e.Trees[i].Linear; l != nil {
			for leaf := range l.Feature {
				for j := range l.Feature[leaf] {
					l.Feature[leaf][j] = 1 + l.Feature[leaf][j]%2
				}
			}
		}
	}
	return e
}

// stump returns a model with one split on its second feature.
func stump(d tree.Decision, leaf float64) *tree.Ensemble {
	e := treetest.Stump("b", d, 1)
	e.Features = []tree.Feature{{Name: "a"}, {Name: "b"}}
	e.Trees[0].Feature[0], e.Trees[0].LeafValue[0] = 1, leaf
	return e
}

func forEachTarget(t *testing.T, test func(t *testing.T, target Target)) {
	t.Helper()
	require.NotEmpty(t, Targets())
	for _, target := range Targets() {
		t.Run(target.Name, func(t *testing.T) { test(t, target) })
	}
}

func TestEntriesAreComplete(t *testing.T) {
	formats, names := map[Format]bool{}, map[string]bool{}
	for i := range table {
		e := &table[i]
		assert.False(t, formats[e.format], "%v is there twice", e.format)
		formats[e.format] = true
		assert.NotEmpty(t, e.format)
		assert.NotZero(t, e.sign, "%v", e.format)
		assert.NotNil(t, e.is, "%v", e.format)
		assert.Equal(t, e.read == nil, e.run != "", "%v is read, or says how its engine scores vectors", e.format)
		assert.False(t, e.is(nil), "%v: an empty file", e.format)
		if program, _, _ := strings.Cut(string(e.format), " "); e.read != nil {
			assert.ErrorContains(t, ErrUnknown, program,
				"name the format in the phrase of its entry or of an earlier one")
		}
		if e.writer == nil {
			assert.Empty(t, e.name, "%v is only read", e.format)
			continue
		}
		assert.NotEmpty(t, e.loadedBy, "%v", e.format)
		assert.NotEmpty(t, e.scoring.arithmetic, "%v", e.format)
		for _, name := range slices.Concat([]string{e.name}, e.aliases, e.former) {
			assert.Regexp(t, `^[a-z][a-z0-9-]*$`, name)
			assert.False(t, names[name], "%s is there twice", name)
			names[name] = true
		}
	}
}

// TestTextsOfCategoriesAreNumbers: files without the texts of categories say that they have numbers.
func TestTextsOfCategoriesAreNumbers(t *testing.T) {
	const told = `such as 0 for "red" of f2, and -1 for another text`
	e := sample(treetest.Model{Categorical: true})
	for target, tells := range map[string]bool{"xgboost": true, "onnx": true, "c": true, "lightgbm": false} {
		e.Dictionaries = nil
		x, err := Export(e, target, Options{})
		require.NoError(t, err)
		assert.NotContains(t, strings.Join(x.Notes, "; "), "pandas_categorical", target)
		e.Dictionaries = map[int][]string{2: {"red", "green"}}
		x, err = Export(e, target, Options{})
		require.NoError(t, err)
		assert.Equal(t, tells, strings.Contains(strings.Join(x.Notes, "; "), told), target)
	}
}

// TestTargetsRoundTrip writes, detects, reads and verifies a model for each target.
func TestTargetsRoundTrip(t *testing.T) {
	forEachTarget(t, func(t *testing.T, target Target) {
		e := sample(treetest.Model{})
		before := sample(treetest.Model{})
		x, err := Export(e, target.Name, Options{Vectors: 300, Seed: 5, Source: "abc"})
		require.NoError(t, err)
		assert.Equal(t, before, e, "the model stays as it is")
		assert.NotEmpty(t, x.Notes)

		format, err := Detect(x.Content)
		require.NoError(t, err)
		assert.Equal(t, target.Format, format)
		_, err = Detect(x.Content[:min(len(x.Content), HeadSize)])
		assert.NoError(t, err, "the beginning of a file is enough to recognize a model")
		for i := range table {
			if other := &table[i]; other.format != format && other.is(x.Content) {
				assert.Less(t, other.sign, x.sign(t), "%v recognizes the file too", other.format)
			}
		}
		assert.Len(t, x.Vectors.Rows, 300)
		assert.Equal(t, target.Name, x.Vectors.Target)
		assert.Equal(t, "abc", x.Vectors.Model)
		assert.Equal(t, target.entry.scoring.arithmetic, x.Vectors.Arithmetic)
		back, format, err := Read(bytes.NewReader(x.Content))
		assert.Equal(t, target.Format, format)
		if target.entry.read == nil {
			assert.ErrorIs(t, err, ErrUnsupported)
			assert.ErrorContains(t, err, string(format)+" is written and not read")
		} else {
			require.NoError(t, err)
			require.NoError(t, back.Validate())
			assert.Len(t, back.Trees, len(e.Trees))
			report, err := x.Vectors.check(back)
			require.NoError(t, err)
			assert.Zero(t, report.Different)
			second, err := Export(back, target.Name, Options{})
			require.NoError(t, err)
			first := strings.ReplaceAll(string(x.Content), ">-0<", ">0<") // ranklib
			assert.Equal(t, first, string(second.Content), "reading and writing again changes nothing")
		}

		again, err := Export(e, target.Name, Options{})
		require.NoError(t, err)
		assert.Equal(t, x.Content, again.Content, "the bytes depend on the model only")
	})
}

// TestColumnsOfContextRoundTrip: with context=precomputed, a file holds columns of query context as features
// after the raw ones, and scores rows of all columns as the model does.
func TestColumnsOfContextRoundTrip(t *testing.T) {
	e := sample(treetest.Model{})
	e.Context = &querycontext.Columns{Raw: 1, List: []querycontext.Column{{Kind: querycontext.Rank},
		{Kind: querycontext.Count}}}
	for i, name := range e.Context.Names([]string{"a"}) {
		e.Features[i].Name = name
	}
	forEachTarget(t, func(t *testing.T, target Target) {
		x, err := Export(e, target.Name, Options{Precomputed: true, Vectors: 300, Seed: 5})
		require.NoError(t, err)
		for _, row := range x.Vectors.Rows {
			score, err := e.ScoreRow(row.Values)
			require.NoError(t, err)
			assert.InDelta(t, score, row.Score, 1e-6)
		}
		if target.entry.read == nil {
			return
		}
		back, _, err := Read(bytes.NewReader(x.Content))
		require.NoError(t, err)
		assert.Nil(t, back.Context)
		report, err := x.Vectors.check(back)
		require.NoError(t, err)
		assert.Zero(t, report.Different)
	})
}

// TestLightGBMJSONForVespa: with reader=vespa, the file is Vespa's, which is only written. It holds what
// Vespa holds, and vectors avoid the values that Vespa sends to the wrong side.
func TestLightGBMJSONForVespa(t *testing.T) {
	o := Options{Vectors: 200, Settings: []param.Setting{{Name: "reader", Value: "vespa"}}}
	e := stump(tree.MissingNaN, 0)
	e.Trees[0].Threshold[0] = math.Inf(1)
	x, err := Export(e, "lightgbm-json", o)
	require.NoError(t, err)
	assert.Equal(t, byMark, x.sign(t))
	for _, row := range x.Vectors.Rows {
		assert.False(t, row.Values[1] >= math.MaxFloat64, "Vespa sends %v to the right", row.Values[1])
	}
	path := t.TempDir() + "/model"
	require.NoError(t, os.WriteFile(path, x.Content, 0o600))
	_, format, err := ReadFile(path)
	assert.Equal(t, VespaJSON, format)
	assert.ErrorContains(t, err, "Vespa JSON is written and not read")
	_, err = VerifyFile(path, "")
	assert.ErrorContains(t, err, "are in "+path+VectorsEnding+": put it into models/ of an application package")

	_, err = Export(sample(treetest.Model{Categorical: true}), "lightgbm-json", o)
	assert.ErrorIs(t, err, engine.ErrCategorical)
	assert.ErrorContains(t, err, "Vespa cannot hold this model")
	_, err = Export(stump(tree.MissingZero, 0), "lightgbm-json", o)
	assert.ErrorIs(t, err, engine.ErrZeroMissing)
	e.Features[1].Name = "no rank feature"
	_, err = Export(e, "lightgbm-json", o)
	assert.ErrorContains(t, err, `vespa: feature 1: bad feature name: "no rank feature"`)
}

// sign returns the text or bytes by which the content's format is detected.
func (x *Exported) sign(t *testing.T) sign {
	t.Helper()
	found := find(x.Content)
	require.NotNil(t, found)
	return found.sign
}

// TestVerifyFile reads an exported file, unchanged and modified.
func TestVerifyFile(t *testing.T) {
	forEachTarget(t, func(t *testing.T, target Target) {
		path := t.TempDir() + "/model"
		x, err := Export(sample(treetest.Model{}), target.Name, Options{Vectors: 50})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, x.Content, 0o600))
		if target.entry.read == nil {
			_, err = VerifyFile(path, "")
			assert.ErrorContains(t, err, "are in "+path+VectorsEnding+": "+target.entry.run)
			return
		}
		_, err = VerifyFile(path, "")
		assert.ErrorContains(t, err, path+VectorsEnding)
		var text bytes.Buffer
		require.NoError(t, x.Vectors.Write(&text))
		require.NoError(t, os.WriteFile(path+VectorsEnding, text.Bytes(), 0o600))
		v, err := VerifyFile(path, "")
		require.NoError(t, err)
		assert.Equal(t, target.Format, v.Format)
		assert.Zero(t, v.Different)

		x.Vectors.Rows[7].Score++
		text.Reset()
		require.NoError(t, x.Vectors.Write(&text))
		require.NoError(t, os.WriteFile(path+".other", text.Bytes(), 0o600))
		v, err = VerifyFile(path, path+".other")
		require.NoError(t, err)
		assert.Equal(t, 1, v.Different)
		assert.Equal(t, 7, v.First)
	})
}

// TestCapabilitiesAreTrue: a target refuses what its capabilities exclude, and accepts everything else.
func TestCapabilitiesAreTrue(t *testing.T) {
	average := stump(tree.MissingNone, 0)
	average.Average = true
	contextual := stump(tree.MissingNone, 0)
	contextual.Features = append(contextual.Features, tree.Feature{Name: "rank(of it)"})
	contextual.Context = &querycontext.Columns{Raw: len(contextual.Features) - 1,
		List: []querycontext.Column{{Kind: querycontext.Rank}}}
	calibrated := stump(tree.MissingNone, 0).Calibrated(&tree.Calibration{Kind: tree.Platt, A: -1})
	forEachTarget(t, func(t *testing.T, target Target) {
		holds := capabilities(target)
		assert.NotEmpty(t, holds.Engine)
		for name, c := range map[string]struct {
			model *tree.Ensemble
			holds bool
			want  error
		}{
			"plain":        {stump(tree.MissingNone, 0), true, nil},
			"context":      {contextual, holds.Context, engine.ErrContext},
			"average":      {average, holds.Average, engine.ErrAverage},
			"calibration":  {calibrated, holds.Calibration, engine.ErrCalibration},
			"categorical":  {sample(treetest.Model{Categorical: true}), holds.Categorical, engine.ErrCategorical},
			"linear":       {sample(treetest.Model{Linear: true}), holds.Linear, engine.ErrLinear},
			"zero missing": {stump(tree.MissingZero, 0), holds.ZeroMissing, engine.ErrZeroMissing},
			"NaN right":    {stump(tree.MissingNaN, 0), !holds.MissingIsZero, engine.ErrMissing},
		} {
			_, err := Export(c.model, target.Name, Options{})
			if c.holds {
				assert.NoError(t, err, name)
			} else {
				assert.ErrorIs(t, err, c.want, name)
			}
		}
		_, err := Export(contextual, target.Name, Options{Precomputed: true})
		assert.NotErrorIs(t, err, engine.ErrContext)
		scores, err := Export(calibrated, target.Name, Options{NoCalibration: true})
		require.NoError(t, err)
		plain, err := Export(stump(tree.MissingNone, 0), target.Name, Options{})
		require.NoError(t, err)
		assert.Equal(t, plain.Content, scores.Content, "scores alone")
		_, err = Export(stump(tree.MissingNone, 1e39), target.Name, Options{})
		assert.Equal(t, holds.Float32, errors.Is(err, engine.ErrRange), "a leaf beyond float32: %v", err)
		_, err = Export(stump(tree.MissingNaN, 0), target.Name, Options{NoMissing: true})
		assert.NoError(t, err, "missing values do not matter if there are none")
	})
}

func capabilities(t Target) engine.Capabilities {
	return t.entry.writer(defaultChoices()).capabilities
}

// TestRefusalNamesTheModelsFeature: a refusal counts features as in the model, not
// as in RankLib's feature set.
func TestRefusalNamesTheModelsFeature(t *testing.T) {
	e := stump(tree.Categorical, 0)
	e.Trees[0].CategoryStart, e.Trees[0].Categories, e.Trees[0].Threshold[0] = []int32{0, 1}, []uint32{1}, 0
	_, err := Export(e, "ranklib", Options{Names: &Names{List: []Name{{Model: "b", Engine: "7"}}}})
	assert.ErrorIs(t, err, engine.ErrCategorical)
	assert.ErrorContains(t, err, "(on feature 1, b; train with numbers in its place")
}

// TestModelsOfLightGBM: models that LightGBM trained are written for each target that can hold them. Export
// reads files back and scores rows on the thresholds and next to them.
func TestModelsOfLightGBM(t *testing.T) {
	paths, err := filepath.Glob("internal/lightgbm/testdata/*.txt")
	require.NoError(t, err)
	forEachTarget(t, func(t *testing.T, target Target) {
		o := Options{Vectors: 300}
		if target.Options().Find("feature_base") != nil {
			_, err := Export(readFile(t, "internal/lightgbm/testdata/lambdarank.txt"), target.Name, o)
			assert.ErrorContains(t, err, "would be ordinal 0", "the models use their first feature")
			o.Settings = []param.Setting{{Name: "feature_base", Value: "1"}}
		}
		held := 0
		for _, path := range paths {
			_, err := Export(readFile(t, path), target.Name, o)
			if err == nil {
				held++
			} else {
				assert.ErrorIs(t, err, ErrUnsupported, path)
			}
		}
		assert.GreaterOrEqual(t, held, 3)
	})
}

func readFile(t *testing.T, path string) *tree.Ensemble {
	t.Helper()
	e, _, err := ReadFile(path)
	require.NoError(t, err)
	return e
}

// TestModelsWithoutTrees: they become a single leaf of value 0.
func TestModelsWithoutTrees(t *testing.T) {
	empty := &tree.Ensemble{Features: []tree.Feature{{Name: "a"}}}
	forEachTarget(t, func(t *testing.T, target Target) {
		x, err := Export(empty, target.Name, Options{})
		require.NoError(t, err)
		if !target.IsRead {
			return
		}
		back, _, err := Read(bytes.NewReader(x.Content))
		require.NoError(t, err)
		require.Len(t, back.Trees, 1)
		assert.Equal(t, []float64{0}, back.Trees[0].LeafValue)
	})
}

func TestOptionsOfTargets(t *testing.T) {
	all, ofAll := new(Options).Table(), []string{"vectors", "no_missing", "no_calibration"}
	forEachTarget(t, func(t *testing.T, target Target) {
		e := stump(tree.MissingNone, 0)
		for _, row := range target.Options() {
			assert.NotEmpty(t, row.Help, row.Name)
			assert.NotEmpty(t, row.Group, row.Name)
			assert.NoError(t, row.Value.Check(), row.Name)
			assert.NotNil(t, all.Find(row.Name), "%s: missing in the table of all options", row.Name)
			_, err := Export(e, target.Name, Options{Settings: []param.Setting{{Name: row.Name,
				Value: row.Value.String()}}})
			assert.NoError(t, err, "%s has its default", row.Name)
		}
		for _, row := range all {
			if target.Options().Find(row.Name) != nil || slices.Contains(ofAll, row.Name) {
				continue
			}
			_, err := Export(e, target.Name, Options{Settings: []param.Setting{{Name: row.Name}}})
			assert.ErrorIs(t, err, ErrOptions)
			assert.EqualError(t, err, row.Name+" has no meaning for to="+target.Name)
		}
	})
}

// TestOptionsTable: the table sets the fields of the options, and the last value of a setting counts.
func TestOptionsTable(t *testing.T) {
	var o Options
	table := o.Table()
	_, err := table.Apply([]param.Setting{
		{Name: "vectors", Value: "3"}, {Name: "no_missing", Value: "true"},
		{Name: "version", Value: "v4"}, {Name: "model_name", Value: "m"},
	})
	require.NoError(t, err)
	require.NoError(t, table.Find("version").Value.Set("v3"))
	assert.Equal(t, Options{
		Vectors: 3, NoMissing: true,
		Settings: []param.Setting{{Name: "model_name", Value: "m"}, {Name: "version", Value: "v3"}},
	}, o)
	_, err = table.Apply([]param.Setting{{Name: "version", Value: "v5"}})
	assert.ErrorContains(t, err, "version=v5: must be one of v3, v4")
	_, err = Export(stump(tree.MissingNone, 0), "lightgbm",
		Options{Settings: []param.Setting{{Name: "version", Value: "v5"}}})
	assert.ErrorIs(t, err, ErrOptions)
}

// TestNamesOfTargets: every name of a target finds it and writes the same file.
func TestNamesOfTargets(t *testing.T) {
	e := stump(tree.MissingNaN, 0)
	forEachTarget(t, func(t *testing.T, target Target) {
		want, err := Export(e, target.Name, Options{NoMissing: true})
		require.NoError(t, err)
		for _, name := range append(target.Names, target.FormerNames...) {
			found, err := findTarget(name)
			require.NoError(t, err)
			assert.Equal(t, name, found.Name)
			assert.Equal(t, target.Format, found.Format)
			x, err := Export(e, name, Options{NoMissing: true, Vectors: 1})
			require.NoError(t, err)
			assert.Equal(t, want.Content, x.Content)
			assert.Equal(t, name, x.Vectors.Target)
		}
	})
	_, err := Export(e, "pickle", Options{})
	assert.ErrorIs(t, err, ErrOptions)
	assert.ErrorContains(t, err, "to=pickle: must be one of lightgbm, ")
	for _, name := range []string{"pmml", "sql", "vespa", "xgboost-ubj"} {
		_, err := Export(e, name, Options{})
		assert.ErrorIs(t, err, ErrOptions)
		assert.EqualError(t, err, "to="+name+": "+gone.Why(gone.Value, "to="+name))
	}
}

// TestTargetsAreDocumented compares docs/models.md with the table: names, numbers, rules, and what a target
// cannot represent. A row is for names of a target, or for a name with options, as
// in lightgbm-json reader=vespa.
func TestTargetsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/models.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 || !strings.HasPrefix(line, "| `") || strings.HasPrefix(line, "| `to=`") {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			name, options, _ := strings.Cut(strings.Trim(name, " `"), " ")
			documented[name] = true
			checkDocumented(t, name, strings.Fields(options), cells)
		}
	}
	forEachTarget(t, func(t *testing.T, target Target) {
		for _, name := range target.Names {
			assert.True(t, documented[name], "%s has no row in docs/models.md", name)
		}
		for _, name := range target.FormerNames {
			assert.Contains(t, string(text), "`"+name+"` is `"+target.Name+"`")
		}
	})
}

// checkDocumented checks a row of the table of targets in docs/models.md.
func checkDocumented(t *testing.T, name string, options, row []string) {
	t.Helper()
	target, err := findTarget(name)
	require.NoError(t, err, name)
	var o Options
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		o.Settings = append(o.Settings, param.Setting{Name: key, Value: value})
	}
	x, err := newExport(target, o)
	require.NoError(t, err, name)
	holds := x.writer.capabilities
	var lacks []string
	for _, c := range []struct {
		letter string
		holds  bool
	}{{"C", holds.Categorical}, {"L", holds.Linear}, {"A", holds.Average}, {"Z", holds.ZeroMissing},
		{"P", holds.Calibration}} {
		if !c.holds {
			lacks = append(lacks, c.letter)
		}
	}
	numbers := "float64"
	if target.Float32 {
		numbers = "float32"
	}
	assert.True(t, strings.HasPrefix(strings.TrimSpace(row[3]), numbers), "%s: %s", name, row[3])
	rule := map[bool]string{false: "exact", true: "count as 0"}[holds.MissingIsZero]
	assert.Equal(t, rule, strings.TrimSpace(row[5]), name)
	assert.Equal(t, strings.Join(lacks, " "), strings.TrimSpace(row[6]), name)
}

// TestDamagedFiles: a damaged file either is read as a valid model or gives an error of a known kind.
func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	faults := 0
	forEachTarget(t, func(t *testing.T, target Target) {
		x, err := Export(stump(tree.MissingNone, 0.5), target.Name, Options{})
		require.NoError(t, err)
		for range 2000 {
			damaged := slices.Clone(x.Content)
			for range 1 + rng.IntN(3) {
				at := rng.IntN(len(damaged))
				switch end := min(at+rng.IntN(4), len(damaged)); rng.IntN(3) {
				case 0:
					damaged = damaged[:at+1]
				case 1:
					damaged = slices.Delete(damaged, at, end)
				default:
					damaged[at] = `0123456789-.,:"{}[]<> aN`[rng.IntN(24)]
				}
				if len(damaged) == 0 {
					break
				}
			}
			e, _, err := Read(bytes.NewReader(damaged))
			if err == nil {
				require.NoError(t, e.Validate())
				continue
			}
			faults++
			known := errors.Is(err, ErrUnknown) || errors.Is(err, ErrFormat) || errors.Is(err, ErrUnsupported)
			require.True(t, known, "%T %v\n%s", err, err, damaged)
		}
	})
	assert.Greater(t, faults, 5000)
}

// TestVerifyFindsBugs simulates a writer with a bug.
func TestVerifyFindsBugs(t *testing.T) {
	e := stump(tree.MissingNone, 0)
	target, _ := findTarget("lightgbm")
	x, err := newExport(target, Options{})
	require.NoError(t, err)
	written := func(e *tree.Ensemble) []byte {
		var b bytes.Buffer
		require.NoError(t, lightgbm.Write(&b, e))
		return b.Bytes()
	}
	require.NoError(t, x.verify(e, written(e)))

	other := stump(tree.MissingNone, 0.25)
	renamed := stump(tree.MissingNone, 0)
	renamed.Features[1].Name = "c"
	var asJSON bytes.Buffer
	require.NoError(t, lightgbm.WriteJSON(&asJSON, e))
	for message, content := range map[string][]byte{
		"cannot be read back":            written(e)[:100],
		"is read as LightGBM JSON":       asJSON.Bytes(),
		"has other features":             written(renamed),
		"of 200 test vectors otherwise,": written(other),
	} {
		err := x.verify(e, content)
		assert.ErrorIs(t, err, ErrVerify, message)
		assert.ErrorContains(t, err, message)
		assert.ErrorContains(t, err, "please report this")
	}
}

// TestInvalidModels: an invalid model is an error and not a panic.
func TestInvalidModels(t *testing.T) {
	broken := stump(tree.MissingNone, 0)
	broken.Trees[0].Feature[0] = 7
	forEachTarget(t, func(t *testing.T, target Target) {
		var invalid *tree.InvalidError
		_, err := Export(broken, target.Name, Options{})
		assert.ErrorAs(t, err, &invalid)
		assert.NotPanics(t, func() { _, _ = Export(&tree.Ensemble{}, target.Name, Options{}) })
	})
}
