package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/lambdamart/lambdamart/param"
)

// addFlags defines a flag for each parameter of a table, such as "--num-leaves 31". Aliases and underscores
// work as well. Flags on the command line are appended to dst as settings, in order. Flags of parameters
// without effect are hidden.
func addFlags(flags *pflag.FlagSet, t param.Table, dst *[]param.Setting) {
	for i := range t {
		p := &t[i]
		f := flags.VarPF(&flagRecorder{p, dst}, flagName(p.Name), "", p.Help)
		f.Hidden = p.Inert
		if s, ok := p.Value.(interface{ IsBoolFlag() bool }); ok && s.IsBoolFlag() {
			f.NoOptDefVal = "true"
		}
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if p := t.Find(name); p != nil {
			name = p.Name
		}
		return pflag.NormalizedName(flagName(name))
	})
}

func flagName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// flagRecorder is a [pflag.Value] that appends a setting whenever it is set.
type flagRecorder struct {
	parameter *param.Parameter
	dst       *[]param.Setting
}

func (r *flagRecorder) Set(text string) error {
	*r.dst = append(*r.dst, param.Setting{Name: r.parameter.Name, Value: text})
	return nil
}

func (r *flagRecorder) String() string { return r.parameter.Value.String() }
func (r *flagRecorder) Type() string   { return r.parameter.Value.Type() }
