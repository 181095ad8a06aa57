package test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/training"
)

// choices are values of parameters that exercise different code paths of training. A draw sets some of them.
var choices = map[string][]string{
	"objective": append(aid.Graded(objective.Names()), "lambdarank:1,query_rmse:0.2",
		"rank_xendcg:1,yetirank:2"),
	"lambdarank_target":           {"map", "err", "mrr", "precision@10"},
	"lambdarank_pair_method":      {"mean", "all"},
	"yetirank_mode":               {"dcg", "ndcg", "mrr", "map", "err"},
	"lambdaloss_scheme":           {"ndcg_loss1", "ndcg_loss2"},
	"num_leaves":                  {"2", "3", "15", "60"},
	"max_depth":                   {"3", "5"},
	"min_data_in_leaf":            {"1", "10", "60"},
	"active_fraction":             {"0.2", "0.5", "1"},
	"feature_fraction":            {"0.2", "0.7"},
	"feature_fraction_bynode":     {"0.5"},
	"bagging_fraction":            {"0.6"},
	"bagging_freq":                {"1", "2"},
	"bagging_by_query":            {"false"},
	"max_bin":                     {"7", "1000"},
	"min_data_in_bin":             {"1"},
	"zero_as_missing":             {"true"},
	"use_missing":                 {"false"},
	"is_enable_sparse":            {"false"},
	"lambda_l1":                   {"0.1"},
	"lambda_l2":                   {"1"},
	"min_gain_to_split":           {"0.5", "4"},
	"path_smooth":                 {"5"},
	"max_delta_step":              {"0.1"},
	"extra_trees":                 {"true"},
	"learning_rate":               {"0.5"},
	"grow_policy":                 {"depthwise", "symmetric"},
	"boosting":                    {"dart"},
	"skip_drop":                   {"0"},
	"monotone_constraints":        {"110:1,130:-1,4:1"},
	"monotone_constraints_method": {"intermediate"},
	"interaction_constraints":     {"[110,130],[130,4,15,16]"},
	"categorical_feature":         {"13,126"},
	"query_context":               {"rank,zscore,count"},
	"query_context_features":      {"110,130"},
	"num_models":                  {"2"},
	"patience":                    {"2"},
	"is_training_metric":          {"true"},
}

// someOf returns one to six of the choices, as arguments.
func someOf(random *rand.Rand) (arguments []string) {
	names := slices.Sorted(maps.Keys(choices))
	for _, i := range random.Perm(len(names))[:1+random.IntN(6)] {
		values := choices[names[i]]
		arguments = append(arguments, names[i]+"="+values[random.IntN(len(values))])
	}
	return arguments
}

// way is a way to make a run that must not change its results.
type way struct {
	form        string // format of the data, as the end of the file's name: see writeForms
	threads     int
	peers       int
	interrupted int // after this round the run is interrupted and resumed; 0: never
}

func someWay(random *rand.Rand) way {
	forms := []string{".txt", ".txt.gz", ".bin", ".csv", ".tsv.zst", "-parts"}
	w := way{form: forms[random.IntN(len(forms))], threads: 1 + random.IntN(9), peers: 1}
	if random.IntN(2) == 0 {
		w.peers, w.threads = 2+random.IntN(3), 1+random.IntN(2)
		w.form = ".txt" // peers cannot divide compressed files
	}
	if random.IntN(2) == 0 {
		w.interrupted = 1 + random.IntN(4)
	}
	return w
}

// TestHowARunIsMadeDoesNotMatter: for any parameters, the data's format, threads, peers and interruptions
// change neither the model nor a metric. If the parameters are refused, they do not change the error.
func TestHowARunIsMadeDoesNotMatter(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{trainFile, valiFile} {
		writeForms(t, folder, name)
	}
	n := 24
	switch {
	case aid.Long():
		n = 5000
	case aid.All() && !testing.Short():
		n = 100
	}
	trained := 0
	for draw := range n {
		random := aid.Random(draw)
		arguments, w := someOf(random), someWay(random)
		want, wantErr := runWay(t, folder, arguments, way{form: ".txt", threads: 1, peers: 1})
		got, err := runWay(t, folder, arguments, w)
		switch {
		case wantErr != nil && w.peers > 1: // another row may be the first to fail
			require.Error(t, err, "seed %d, draw %d, %v: %+v", aid.Seed(), draw, arguments, w)
		case wantErr != nil:
			require.ErrorContains(t, err, withoutPlace(wantErr), "seed %d, draw %d, %v: %+v", aid.Seed(), draw,
				arguments, w)
		case w.peers > 1 && err != nil:
			refused := errors.Is(err, booster.ErrPeers) || errors.Is(err, training.ErrNotResumable)
			require.True(t, refused, "seed %d, draw %d, %v: %+v: %v", aid.Seed(), draw, arguments, w, err)
		default:
			require.NoError(t, err, "seed %d, draw %d, %v: %+v", aid.Seed(), draw, arguments, w)
			require.True(t, got == want, "seed %d, draw %d: another model or metric: %v: %+v", aid.Seed(),
				draw, arguments, w)
			trained++
		}
	}
	require.Greater(t, trained, n/2, "runs that could be compared")
}

// withoutPlace returns the text of an error without the place in a file, which depends on the form of the
// data.
func withoutPlace(err error) string {
	var inFile *dataset.Error
	if errors.As(err, &inFile) {
		return inFile.Err.Error()
	}
	return err.Error()
}

// writeForms writes the first queries of a set as text and as a table, plain, compressed and in parts.
func writeForms(t *testing.T, folder, path string) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	text = bytes.Join(lines[:min(1000, len(lines))], nil)
	var packed bytes.Buffer
	p := gzip.NewWriter(&packed)
	_, err = p.Write(text)
	require.NoError(t, err)
	require.NoError(t, p.Close())
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	table := tableOf(text, ",")
	middle := bytes.LastIndexByte(table[:len(table)/2], '\n') + 1 // within a query
	base := filepath.Join(folder, strings.TrimSuffix(filepath.Base(path), ".txt.gz"))
	require.NoError(t, os.Mkdir(base+"-parts", 0o700))
	for end, content := range map[string][]byte{".txt": text, ".txt.gz": packed.Bytes(), ".csv": table,
		".tsv.zst":     encoder.EncodeAll(tableOf(text, "\t"), nil),
		"-parts/0.csv": table[:middle], "-parts/1.csv": table[middle:]} {
		require.NoError(t, os.WriteFile(base+end, content, 0o600))
	}
}

// tableOf returns the rows of text with all features as a table without names: labels, queries, and features
// from 1 on.
func tableOf(text []byte, comma string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		b.WriteString(words[0])
		for _, word := range words[1:] {
			_, value, _ := strings.Cut(word, ":")
			b.WriteString(comma + value)
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// runWay trains in one way, and returns all resulting numbers as text.
func runWay(t *testing.T, folder string, arguments []string, w way) (string, error) {
	t.Helper()
	p := lambdamart.DefaultParams()
	p.NumIterations, p.NumLeaves, p.NumThreads, p.Metric, p.EvalAt = 5, 8, w.threads, []string{"ndcg"}, []int{5}
	for _, a := range arguments {
		name, value, _ := strings.Cut(a, "=")
		if err := p.Set(name, value); err != nil {
			return "", err
		}
	}
	switch isTable := !strings.HasPrefix(w.form, ".txt") && w.form != ".bin"; {
	case isTable && p.CategoricalFeature != "": // a table has texts, and LETOR text has numbers
		w.form = ".txt.gz"
	case isTable:
		p.Data.Layout.Query = "0"
	}
	checkpoint := ""
	if w.interrupted > 0 {
		checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	}
	if w.peers == 1 {
		return w.train(t.Context(), p, folder, checkpoint)
	}
	results := make([]string, w.peers)
	err := aid.Peers(w.peers, func(g peers.Group) (err error) {
		own := p
		own.Data.Peers = g
		results[g.Rank()], err = w.train(t.Context(), own, folder, checkpoint)
		return err
	})
	if err == nil && len(slices.Compact(results)) > 1 {
		err = fmt.Errorf("peers do not have the same model")
	}
	return results[0], err
}

// train loads the data and trains, either in one piece, or until a round and then from the checkpoint.
func (w way) train(ctx context.Context, p lambdamart.Params, folder, checkpoint string) (string, error) {
	paths := []string{filepath.Join(folder, "train"+w.form), filepath.Join(folder, "vali"+w.form)}
	if w.form == ".bin" {
		if err := store(ctx, p, folder); err != nil {
			return "", err
		}
	}
	d, err := lambdamart.Load(ctx, p, paths[0], paths[1])
	if err != nil {
		return "", err
	}
	defer d.Close()
	if checkpoint == "" {
		return trainOnce(ctx, p, d, nil, 0)
	}
	c := training.Checkpoints{Path: checkpoint}
	if all, err := trainOnce(ctx, p, d, &c, w.interrupted); err != nil || all != "" {
		return all, err
	}
	c.Resume, p.NumThreads = training.Required, 1+p.NumThreads%3
	return trainOnce(ctx, p, d, &c, 0)
}

// store writes the bins of both sets.
func store(ctx context.Context, p lambdamart.Params, folder string) (err error) {
	o := p.Data
	o.QueryContext, o.QueryContextFeatures = p.QueryContext, p.QueryContextFeatures
	l := data.NewLoader(p.BinParams(), o)
	defer l.Close()
	train, err := l.Training(ctx, data.Input{Path: filepath.Join(folder, "train.txt")})
	if err != nil {
		return err
	}
	if err := stream.WriteFile(filepath.Join(folder, "train.bin"),
		func(w io.Writer) error { return l.Store(w, train) }); err != nil {
		return err
	}
	vali, err := l.Add(ctx, "vali", data.Input{Path: filepath.Join(folder, "vali.txt")})
	if err != nil {
		return err
	}
	return stream.WriteFile(filepath.Join(folder, "vali.bin"),
		func(w io.Writer) error { return l.Store(w, vali) })
}

// trainOnce returns the metrics of all rounds and the model, or "" if the run was interrupted.
func trainOnce(ctx context.Context, p lambdamart.Params, d *data.Loaded, c *training.Checkpoints,
	last int) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var text strings.Builder
	p.Options.Checkpoints = c
	p.Options.Round = func(r training.Round) {
		for _, e := range r.Evaluations {
			fmt.Fprintln(&text, r.Number, e.Set, e.Result.Mean)
		}
		if r.Number == last {
			cancel()
		}
	}
	r, err := lambdamart.Train(ctx, p, d)
	if err != nil || r.Stopped == training.Canceled {
		return "", err
	}
	r.Model.Parameters = ""
	err = model.Write(&text, r.Model)
	return text.String(), err
}
