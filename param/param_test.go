package param_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
)

type settings struct {
	leaves   int
	rate     float64
	seed     uint64
	norm     bool
	gap, log bool
	device   string
	files    []string
	cutoffs  []int
}

func defaults() *settings {
	return &settings{leaves: 31, rate: 0.1, norm: true, gap: true, log: true, device: "cpu", cutoffs: []int{1, 5}}
}

func table(s *settings) param.Table {
	return param.Table{
		{Name: "num_leaves", Aliases: []string{"max_leaves"}, Group: "Trees", Help: "Most leaves of a tree.", Value: param.Int(&s.leaves, param.AtLeast(2), param.AtMost(131072))},
		{Name: "learning_rate", Aliases: []string{"eta"}, Group: "Trees", Help: "Shrinkage.", Value: param.Float(&s.rate, param.Above(0))},
		{Name: "seed", Group: "Trees", Value: param.Uint64(&s.seed)},
		{Name: "norm", Group: "Lambdas", Value: param.BoolBoth(&s.gap, &s.log)},
		{Name: "log_norm", Group: "Lambdas", Value: param.Bool(&s.log)},
		{Name: "device", Group: "Other", Value: param.Choice(&s.device, "cpu", "gpu")},
		{Name: "valid", Aliases: []string{"test", "valid_data"}, Group: "Files", Value: param.Texts(&s.files), Repeat: true},
		{Name: "eval_at", Group: "Other", Value: param.Ints(&s.cutoffs, param.AtLeast(1))},
		{Name: "boosting", Group: "Accepted, without effect", Inert: true, Value: param.Fixed("", "gbdt", "gbrt")},
		{Name: "verbose", Group: "Accepted, without effect", Inert: true, Value: param.Ignored()},
	}
}

func parse(t *testing.T, args ...string) []param.Setting {
	s, err := param.ParseArgs(args)
	require.NoError(t, err)
	return s
}

func TestApplySetsValuesUnderAnyName(t *testing.T) {
	s := defaults()
	effective, err := table(s).Apply(parse(t, "eta=0.5", "max-leaves=7", "seed=18446744073709551615", "eval_at=3, 10", "device=gpu", "boosting=gbrt"))
	require.NoError(t, err)
	assert.Equal(t, &settings{leaves: 7, rate: 0.5, seed: 1<<64 - 1, norm: true, gap: true, log: true, device: "gpu", cutoffs: []int{3, 10}}, s)
	names := make([]string, len(effective))
	for i := range effective {
		names[i] = effective[i].Name
	}
	assert.Equal(t, []string{"num_leaves", "learning_rate", "seed", "device", "eval_at", "boosting"}, names, "proper names, in table order")
}

func TestLaterLayersWin(t *testing.T) {
	s := defaults()
	config, err := param.ReadConfig(strings.NewReader("# a comment\r\nnum_leaves = 63 # more\r\n\r\neta=\"0.2\"\r\n"), "train.conf")
	require.NoError(t, err)
	effective, err := table(s).Apply(config, parse(t, "max_leaves=15"))
	require.NoError(t, err)
	assert.Equal(t, 15, s.leaves)
	assert.Equal(t, 0.2, s.rate)
	assert.Equal(t, "train.conf:4", effective[1].Place)
}

func TestSpecificSwitchBeatsTheJointOne(t *testing.T) {
	for _, args := range [][]string{{"norm=false", "log_norm=true"}, {"log_norm=true", "norm=false"}} {
		s := defaults()
		_, err := table(s).Apply(parse(t, args...))
		require.NoError(t, err)
		assert.False(t, s.gap)
		assert.True(t, s.log)
	}
}

func TestZeroIsAValue(t *testing.T) {
	s := defaults()
	_, err := table(s).Apply(parse(t, "norm=0", "seed=0", "eval_at="))
	require.NoError(t, err)
	assert.False(t, s.gap)
	assert.Empty(t, s.cutoffs)
	_, err = table(defaults()).Apply(parse(t, "learning_rate=0"))
	assert.EqualError(t, err, "learning_rate=0: must be > 0", "0 must not stand for the default")
}

func TestRepeat(t *testing.T) {
	s := defaults()
	_, err := table(s).Apply(parse(t, "valid=a,b", "test=c"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, s.files)
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"num_leafs=3", "num_leafs=3: unknown parameter; did you mean num_leaves?"},
		{"num-leavse=3", "num-leavse=3: unknown parameter; did you mean num_leaves?"},
		{"num_leavess=3", "num_leavess=3: unknown parameter; did you mean num_leaves?"},
		{"etta=3", "etta=3: unknown parameter; did you mean eta?"},
		{"learnign_rate=3", "learnign_rate=3: unknown parameter; did you mean learning_rate?"},
		{"frobnicate=3", "frobnicate=3: unknown parameter"},
		{"num_leaves=1", "num_leaves=1: must be >= 2, <= 131072"},
		{"max_leaves=131073", "max_leaves=131073: must be >= 2, <= 131072"},
		{"num_leaves=", "num_leaves=: must be an integer"},
		{"num_leaves=3.5", "num_leaves=3.5: must be an integer"},
		{"eta=nan", "eta=nan: must be a finite number"},
		{"eta=1e999", "eta=1e999: must be a finite number"},
		{"seed=-1", "seed=-1: must be an integer from 0 to 18446744073709551615"},
		{"norm=maybe", "norm=maybe: must be true or false"},
		{"device=tpu", "device=tpu: must be one of cpu, gpu"},
		{"eval_at=1,x", "eval_at=1,x: must be an integer"},
		{"eval_at=1,0", "eval_at=1,0: must be >= 1"},
		{"boosting=dart", "boosting=dart: only gbdt is available"},
		{"eta=1 learning_rate=2", "learning_rate=2: learning_rate is already given by eta=1"},
		{"eta=0 num_leaves=1 x=1", "x=1: unknown parameter\nnum_leaves=1: must be >= 2, <= 131072\neta=0: must be > 0"},
	} {
		_, err := table(defaults()).Apply(parse(t, strings.Fields(c.args)...))
		assert.EqualError(t, err, c.want, c.args)
	}
}

func TestSameValueTwiceIsNoFault(t *testing.T) {
	_, err := table(defaults()).Apply(parse(t, "eta=1", "learning_rate=1"))
	assert.NoError(t, err)
}

func TestUnknownIsErrUnknown(t *testing.T) {
	_, err := table(defaults()).Apply(parse(t, "x=1"))
	assert.ErrorIs(t, err, param.ErrUnknown)
}

func TestCheckFindsValuesSetInCode(t *testing.T) {
	s := defaults()
	s.leaves, s.cutoffs = 0, []int{0}
	assert.EqualError(t, table(s).Check(), "num_leaves=0: must be >= 2, <= 131072\neval_at=0: must be >= 1")
	assert.NoError(t, table(defaults()).Check())
}

func TestBadForms(t *testing.T) {
	_, err := param.ParseArgs([]string{"a=1", "b", "=2"})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `"b": expected key=value`)
	assert.Contains(t, err.Error(), `"=2": expected key=value`)
	_, err = param.ReadConfig(strings.NewReader("a=1\nb\n"), "train.conf")
	assert.ErrorContains(t, err, `train.conf:2: "b": expected key=value`)
}

func TestIsSwitch(t *testing.T) {
	parameters := table(defaults())
	assert.True(t, param.IsSwitch(parameters.Find("norm").Value))
	assert.True(t, param.IsSwitch(parameters.Find("log_norm").Value))
	assert.False(t, param.IsSwitch(parameters.Find("device").Value))
}

func TestHelpListsWhatHasAnEffect(t *testing.T) {
	help := table(defaults()).Help()
	assert.Contains(t, help, "Trees:\n  num_leaves=31               Most leaves of a tree. [>= 2, <= 131072] (also max_leaves)\n")
	assert.NotContains(t, help, "boosting")
	for line := range strings.Lines(help) {
		assert.LessOrEqual(t, len(line), 101)
	}
}

func TestMarkdownListsEverything(t *testing.T) {
	text := table(defaults()).Markdown()
	assert.Contains(t, text, "| `num_leaves` | `31` | >= 2, <= 131072 | Most leaves of a tree. Aliases: `max_leaves`. |\n")
	assert.Contains(t, text, "| `boosting` |")
}

func TestNamed(t *testing.T) {
	name := "huber"
	v := param.Named(&name, param.Option{"regression", []string{"l2", "mse"}}, param.Option{"huber", nil})
	assert.Equal(t, "regression, huber", v.Range())
	for given, want := range map[string]string{"mse": "regression", "huber": "huber", "regression": "regression"} {
		assert.NoError(t, v.Set(given))
		assert.NoError(t, v.Check())
		assert.Equal(t, want, v.String())
		assert.Equal(t, want, name)
	}
	name = "l2" // as Go code may have it
	assert.NoError(t, v.Check())
	for given, want := range map[string]string{
		"regresion": "must be one of regression, huber; did you mean regression?",
		"mze":       "must be one of regression, huber; did you mean mse?",
		"lambda":    "must be one of regression, huber",
		"":          "must be one of regression, huber",
	} {
		assert.NoError(t, v.Set(given))
		assert.EqualError(t, v.Check(), want)
	}
	v = param.Named(&name, param.Option{Name: "one"})
	assert.NoError(t, v.Set("onn"))
	assert.EqualError(t, v.Check(), "only one is available")
}

// FuzzReadConfig: whatever the text, its settings have names and places, and are the same when they are written
// again.
func FuzzReadConfig(f *testing.F) {
	f.Add("# a comment\r\nnum_leaves = 63 # more\r\n\r\neta=\"0.2\"\r\n")
	f.Add("\ufeffdata='a b'\nx==\n")
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := param.ReadConfig(strings.NewReader(text), "train.conf")
		if err != nil {
			require.ErrorContains(t, err, "train.conf:")
			return
		}
		var again strings.Builder
		for _, s := range settings {
			require.NotEmpty(t, s.Name)
			require.Regexp(t, `^train\.conf:[1-9]`, s.Place)
			fmt.Fprintf(&again, "\ufeff%s=\"%s\"\n", s.Name, s.Value)
		}
		back, err := param.ReadConfig(strings.NewReader(again.String()), "train.conf")
		require.NoError(t, err)
		require.Len(t, back, len(settings))
		for i, s := range settings {
			require.Equal(t, [2]string{s.Name, s.Value}, [2]string{back[i].Name, back[i].Value})
		}
	})
}
