package param

import (
	"strings"

	"github.com/spf13/pflag"
)

// AddFlags defines a flag for each parameter: "--num-leaves 31". Aliases and
// underscores work as well. What the flags say is appended to dst as settings,
// in the order of the command line. Flags of inert parameters are hidden.
func (t Table) AddFlags(flags *pflag.FlagSet, dst *[]Setting) {
	for i := range t {
		p := &t[i]
		f := flags.VarPF(&recorder{p, dst}, flagName(p.Name), "", p.Help)
		f.Hidden = p.Inert
		if _, ok := p.Value.(*toggle); ok {
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

// recorder is a pflag.Value that notes what it is set to.
type recorder struct {
	parameter *Parameter
	dst       *[]Setting
}

func (r *recorder) Set(text string) error {
	*r.dst = append(*r.dst, Setting{Name: r.parameter.Name, Value: text})
	return nil
}

func (r *recorder) String() string { return r.parameter.Value.String() }
func (r *recorder) Type() string   { return r.parameter.Value.Type() }
