package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// mixing is a task of the test program.
type mixing struct {
	data, taste string
	spoons      int
	env         *Env
}

func (m *mixing) Table() param.Table {
	return param.Table{
		{Name: "spoons", Group: "Kitchen", Help: "Spoons of sugar.", Value: bind.Int(&m.spoons, bind.AtLeast(0))},
		Data(&m.data),
		{Name: "taste", Group: GroupMessages, Help: "Taste.", Value: bind.Text(&m.taste)},
	}
}

func (m *mixing) Run(_ context.Context, env *Env) error {
	m.env = env
	_, err := fmt.Fprintln(env.Stdout, m.data, m.spoons, strings.Join(env.Words, "+"))
	return err
}

// other is a task with parameters that the command mix accepts but ignores.
type other struct{ heat int }

func (o *other) Table() param.Table {
	return param.Table{
		{Name: "pan", Group: GroupFiles, Help: "Pan.", Value: bind.Text(new(string))},
		Data(new(string)),
		{Name: "heat", Group: "Kitchen", Help: "Heat.", Value: bind.Int(&o.heat)},
	}
}

func (o *other) Run(context.Context, *Env) error { return errors.New("too hot") }

// kitchen returns the test program, and the task that its command mix runs.
func kitchen() (*Program, *mixing) {
	task := &mixing{spoons: 2}
	return &Program{Commands: []Command{
		{Name: "mix", Use: "mix", Tasks: []string{"mix", "mixing"}, Files: []string{"data", "taste"},
			New: func() Task { return task }},
		{Name: "take", Use: "take", Words: true, New: func() Task { return new(mixing) }},
		{Name: "cook", Use: "cook", Tasks: []string{"cook"}, New: func() Task { return new(other) }},
	}}, task
}

func runKitchen(args ...string) (stdout, messages string, task *mixing, err error) {
	program, task := kitchen()
	var out, text bytes.Buffer
	err = program.Run(context.Background(), args, &out, &text, NewConsole(&text))
	return out.String(), text.String(), task, err
}

func TestArguments(t *testing.T) {
	config := filepath.Join(t.TempDir(), "mix.conf")
	require.NoError(t, os.WriteFile(config, []byte("spoons = 5\nheat = 3\ntask = mixing\n"), 0o666))
	for want, args := range map[string][]string{
		" 2 \n":      {"mix"},
		"a 2 \n":     {"mix", "a"},
		"a 3 \n":     {"mix", "a", "spoons=3"},
		"a 4 \n":     {"mix", "spoons=4", "--train", "a"},
		" 5 \n":      {"config=" + config},
		" 6 \n":      {"config=" + config, "spoons=6"},
		" 1 \n":      {"task=mix", "spoons=1"},
		" 9 \n":      {"spoons=9"},
		" 0 x+y+z\n": {"take", "x", "y", "spoons=0", "z"},
	} {
		stdout, _, _, err := runKitchen(args...)
		require.NoError(t, err, args)
		assert.Equal(t, want, stdout, args)
	}
}

func TestWrongArguments(t *testing.T) {
	for args, want := range map[string]string{
		"mix a b c":          `"c": expected key=value`,
		"mix spoons=4 a":     `"a": expected key=value`,
		"mix spoons=-1":      "spoons=-1: must be >= 0",
		"mix task=cook":      "task=cook contradicts the command mix",
		"mix --heat 3":       "--heat: mix has no such parameter; lambdamart help heat",
		"mix --spoon 3":      "--spoon: unknown parameter; did you mean spoons?",
		"mx":                 `unknown command "mx"; did you mean mix?`,
		"task=bake":          "task=bake is not available; there are mix and cook",
		"task=convert_model": "use the command export",
		"mix config=absent":  "config: absent: no such file",
		"mix spoon=1":        "spoon=1: unknown parameter; did you mean spoons?",
		"cook spoons=1 heat": `"heat": expected key=value`,
	} {
		_, _, _, err := runKitchen(strings.Fields(args)...)
		var usage *UsageError
		require.ErrorAs(t, err, &usage, args)
		assert.ErrorContains(t, err, want, args)
	}
	_, _, _, err := runKitchen("cook")
	var usage *UsageError
	assert.False(t, errors.As(err, &usage))
	assert.EqualError(t, err, "too hot")
}

// TestInertParameters: parameters of LightGBM are accepted and have no effect. Those of other commands are
// accepted in a file.
func TestInertParameters(t *testing.T) {
	_, _, _, err := runKitchen("mix", "heat=hot", "pan=1", "num_machines=1", "spoons=3")
	assert.EqualError(t, err, "heat=hot: mix has no such parameter; lambdamart help heat lists the commands "+
		"that have it\npan=1: mix has no such parameter; lambdamart help pan lists the commands that have it")
	file := filepath.Join(t.TempDir(), "mix.conf")
	require.NoError(t, os.WriteFile(file, []byte("heat=hot\nalpha=2\nnum_machines=1\nspoons=3\n"), 0o666))
	_, messages, task, err := runKitchen("mix", "config="+file)
	require.NoError(t, err)
	assert.Equal(t, "warning: alpha=2 ("+file+":2) has no effect; XGBoost's alpha is lambda_l1 here\n"+
		"note: accepted without effect: heat, num_machines\n", messages)
	assert.Equal(t, []string{"config", "spoons", "num_machines", "alpha"}, task.env.Given)
	_, messages, _, err = runKitchen("mix", "num_machines=1", "log_json=true")
	require.NoError(t, err)
	assert.Equal(t, `{"event":"note","message":"accepted without effect: num_machines"}`+"\n", messages)
	_, messages, _, err = runKitchen("mix", "num_machines=1", "--verbosity", "0")
	require.NoError(t, err)
	assert.Empty(t, messages)
}

// TestTables: a command's help lists its parameters by heading. The documentation lists the parameters of all
// commands, each once.
func TestTables(t *testing.T) {
	stdout, messages, _, err := runKitchen("mix", "--help")
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(stdout + messages) {
		if name, _, found := strings.Cut(strings.TrimSpace(line), "="); found && strings.HasPrefix(line, "  ") &&
			!strings.Contains(name, " ") {
			names = append(names, name)
		}
	}
	assert.Equal(t, []string{"task", "config", "data", "taste", "log_json", "verbosity", "spoons"}, names)

	program, _ := kitchen()
	var all []string
	for _, p := range program.Parameters() {
		if !p.Inert {
			all = append(all, p.Name)
		}
	}
	assert.Equal(t, []string{"task", "config", "data", "pan", "taste", "log_json", "verbosity", "spoons",
		"heat"}, all)
	assert.Panics(t, func() { Rows(program.Parameters(), "spoons", "spoon") })
}

// TestInterrupted: a signal does not hide that an output could not be written.
func TestInterrupted(t *testing.T) {
	signal, full := errors.New("ended by a signal"), errors.New("no space left")
	ctx, cancel := context.WithCancelCause(t.Context())
	assert.Equal(t, full, interrupted(ctx, full))
	cancel(signal)
	waiting := fmt.Errorf("writing pipe: %w", signal)
	for err, want := range map[error]string{
		nil:                                   "ended by a signal",
		signal:                                "ended by a signal",
		waiting:                               "writing pipe: ended by a signal",
		fmt.Errorf("a: %w", context.Canceled): "ended by a signal",
		full:                                  "no space left\nended by a signal",
	} {
		got := interrupted(ctx, err)
		assert.ErrorIs(t, got, signal)
		assert.EqualError(t, got, want)
	}
}
