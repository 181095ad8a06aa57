package cli

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// flagSettings holds the variables of a small parameter table.
type flagSettings struct {
	leaves    int
	gap, norm bool
	files     []string
}

func (s *flagSettings) table() param.Table {
	return param.Table{
		{Name: "num_leaves", Aliases: []string{"max_leaves"}, Value: bind.Int(&s.leaves)},
		{Name: "norm", Value: bind.Bool(&s.gap, &s.norm)},
		{Name: "log_norm", Value: bind.Bool(&s.norm)},
		{Name: "valid", Aliases: []string{"test", "valid_data"}, Value: bind.Texts(&s.files), Repeat: true},
		{Name: "verbose", Inert: true, Value: bind.Text(new(string))},
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--num-leaves", "7", "--norm=false", "--valid", "a", "--valid", "b"},
		{"--num_leaves=7", "--norm=false", "--test=a", "--test", "b"},
		{"--max-leaves=7", "--norm=0", "--valid-data=", "--test", "a,b"},
	} {
		s := &flagSettings{leaves: 31, gap: true, norm: true}
		var given []param.Setting
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		addFlags(flags, s.table(), &given)
		require.NoError(t, flags.Parse(args))
		_, err := s.table().Apply(given)
		require.NoError(t, err)
		assert.Equal(t, 7, s.leaves)
		assert.False(t, s.gap)
		assert.Equal(t, []string{"a", "b"}, s.files)
		assert.True(t, flags.Lookup("verbose").Hidden)
	}
}

func TestSwitchFlagNeedsNoValue(t *testing.T) {
	var given []param.Setting
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	addFlags(flags, new(flagSettings).table(), &given)
	require.NoError(t, flags.Parse([]string{"--log-norm", "eta=1"}))
	assert.Equal(t, []param.Setting{{Name: "log_norm", Value: "true"}}, given)
	assert.Equal(t, []string{"eta=1"}, flags.Args())
}
