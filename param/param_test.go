package param_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

type settings struct {
	leaves   int
	rate     float64
	seed     uint64
	norm     bool
	gap, log bool
	device   string
	boosting string
	verbose  string
	files    []string
	cutoffs  []int
}

func defaults() *settings {
	return &settings{leaves: 31, rate: 0.1, norm: true, gap: true, log: true, device: "cpu", boosting: "gbdt",
		cutoffs: []int{1, 5}}
}

func table(s *settings) param.Table {
	return param.Table{
		{Name: "num_leaves", Aliases: []string{"max_leaves"}, Group: "Trees", Help: "Most leaves of a tree.",
			Value: bind.Int(&s.leaves, bind.AtLeast(2), bind.AtMost(131072))},
		{Name: "learning_rate", Aliases: []string{"eta"}, Group: "Trees", Help: "Shrinkage.",
			Value: bind.Float(&s.rate, bind.Positive())},
		{Name: "seed", Group: "Trees", Value: bind.Uint64(&s.seed)},
		{Name: "norm", Group: "Lambdas", Value: bind.Bool(&s.gap, &s.log)},
		{Name: "log_norm", Group: "Lambdas", Value: bind.Bool(&s.log)},
		{Name: "device", Group: "Other", Value: bind.Choice(&s.device, "cpu", "gpu")},
		{Name: "valid", Aliases: []string{"test", "valid_data"}, Group: "Files",
			Value: bind.Texts(&s.files), Repeat: true},
		{Name: "eval_at", Group: "Other", Value: bind.Ints(&s.cutoffs, bind.AtLeast(1))},
		{Name: "boosting", Group: "Accepted, without effect", Inert: true,
			Value: bind.Choice(&s.boosting, "gbdt", "gbrt")},
		{Name: "verbose", Group: "Accepted, without effect", Inert: true, Value: bind.Text(&s.verbose)},
	}
}

func parse(t *testing.T, args ...string) []param.Setting {
	s, err := param.ParseArgs(args)
	require.NoError(t, err)
	return s
}

func TestApplySetsValuesUnderAnyName(t *testing.T) {
	s := defaults()
	effective, err := table(s).Apply(parse(t, "eta=0.5", "max-leaves=7", "seed=18446744073709551615",
		"eval_at=3, 10", "device=gpu", "boosting=gbrt"))
	require.NoError(t, err)
	assert.Equal(t, &settings{leaves: 7, rate: 0.5, seed: 1<<64 - 1, norm: true, gap: true, log: true,
		device: "gpu", boosting: "gbrt", cutoffs: []int{3, 10}}, s)
	names := make([]string, len(effective))
	for i := range effective {
		names[i] = effective[i].Name
	}
	assert.Equal(t, []string{"num_leaves", "learning_rate", "seed", "device", "eval_at", "boosting"}, names,
		"proper names, in table order")
}

func TestLaterLayersWin(t *testing.T) {
	s := defaults()
	config, err := param.ReadConfig(strings.NewReader("# a comment\r\nnum_leaves = 63 # "+
		"more\r\n\r\neta=\"0.2\"\r\n"), "train.conf")
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
		{"device=tpu", "device=tpu: must be one of cpu, gpu; did you mean cpu?"},
		{"eval_at=1,x", "eval_at=1,x: must be an integer"},
		{"eval_at=1,0", "eval_at=1,0: must be >= 1"},
		{"boosting=dart", "boosting=dart: must be one of gbdt, gbrt"},
		{"eta=1 learning_rate=2", "learning_rate=2: learning_rate is already given by eta=1"},
		{"eta=0 num_leaves=1 x=1", "x=1: unknown parameter\nnum_leaves=1: must be >= 2, <= 131072\neta=0: must " +
			"be > 0"},
	} {
		_, err := table(defaults()).Apply(parse(t, strings.Fields(c.args)...))
		assert.EqualError(t, err, c.want, c.args)
		assert.Equal(t, strings.Contains(c.want, "unknown"), errors.Is(err, param.ErrUnknown), c.args)
	}
	_, err := table(defaults()).Apply(parse(t, "eta=1", "learning_rate=1"))
	assert.NoError(t, err, "the same value twice")
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

// FuzzReadConfig: for any text, settings have names and places, and are unchanged when they are written and
// read again.
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
