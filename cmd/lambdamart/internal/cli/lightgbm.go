package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/param"
)

// groupInert is the heading of the parameters that are accepted but have no effect.
const groupInert = "Accepted, without effect"

// inertTable returns the parameters of LightGBM 4.7 that have no meaning here, and those of earlier versions,
// so that configuration files are accepted unchanged. A value that needs something that this program lacks is
// an error, which gives the reason.
func inertTable() param.Table {
	var t param.Table
	add := func(name string, aliases, accepted []string, help string) {
		value, allowed := "", ""
		if len(accepted) > 0 { // the first of these is shown
			value, allowed = accepted[0], "only "+cmp.Or(accepted[0], "the empty value")
		}
		check := func() error {
			if len(accepted) == 0 || slices.Contains(accepted, value) {
				return nil
			}
			return fmt.Errorf("%s is available: %s", allowed, strings.TrimSuffix(help, "."))
		}
		t = append(t, param.Parameter{Name: name, Aliases: aliases, Group: groupInert, Help: help, Inert: true,
			Value: bind.Checked(bind.Text(&value), allowed, check)})
	}
	for _, row := range lightgbmInert {
		for names := range strings.SplitSeq(row.names, ", ") {
			words := strings.Fields(names)
			add(words[0], words[1:], row.accepted, row.help)
		}
	}
	for _, p := range gone.Offs() {
		add(p.Name, p.Aliases, p.Values, p.Why)
	}
	return t
}

var (
	off  = []string{"false", "-", "0"}
	on   = []string{"true", "+", "1"}
	none = []string{""}
)

// lightgbmInert lists names and aliases as LightGBM's own library prints them (LGBM_DumpParamAliases, 4.7.0).
// An empty accepted list accepts every value; otherwise help is the reason that the error for other values
// shows.
var lightgbmInert = []struct {
	names    string // of parameters that share the rest, with commas between; aliases follow a name
	accepted []string
	help     string
}{
	// How LightGBM computes; no result depends on it here.
	{"force_col_wise, force_row_wise", nil, "Layout of histograms."},
	{"histogram_pool_size hist_pool_size", []string{"-1", "-1.0"},
		"Histograms get the memory that they need; with less, LightGBM adds in another order, which can " +
			"change its splits. Leave it out."},
	{"enable_bundle is_enable_bundle bundle", nil, "Layout of the data in memory."},
	{"two_round two_round_loading use_two_round_loading", off,
		"Data is never held as text in memory. With two_round, LightGBM finds bins from other rows. " +
			"Leave it out."},
	{"pre_partition is_pre_partition", nil,
		"For LightGBM's own network of machines; here they use MPI (docs/machines.md)."},
	{"feature_pre_filter", on, "Features that cannot be split are never used, nor drawn by " +
		"feature_fraction. Leave it out: min_data_in_leaf may change without it."},
	{"deterministic", nil, "Results are always the same."},
	{"precise_float_parser", nil, "Numbers are always read exactly."},
	{"predict_disable_shape_check", nil,
		"Data with more or fewer features than the model is scored, with a warning."},

	// Several machines, and devices.
	{"tree_learner tree tree_type tree_learner_type", []string{"serial"},
		"Several machines train through MPI, with any tree (docs/machines.md); leave it out."},
	{"num_machines num_machine", []string{"1"},
		"The launcher of MPI sets the number of processes (docs/machines.md); leave it out."},
	{"local_listen_port local_port port, time_out, " +
		"machine_list_filename machine_list_file machine_list mlist, machines workers nodes, top_k topk", nil,
		"For LightGBM's own network of machines; here they use MPI (docs/machines.md)."},
	{"device_type device", []string{"cpu"}, "Training runs on the processor."},
	{"gpu_platform_id, gpu_device_id, gpu_device_id_list, gpu_use_dp, num_gpu", nil, "For devices."},

	// Parameters of sampling and of trees.
	{"pos_bagging_fraction pos_sub_row pos_subsample pos_bagging", []string{"1", "1.0"},
		"For two classes. Drawing documents by grade would change the queries that nDCG is computed on; " +
			"use bagging_fraction."},
	{"neg_bagging_fraction neg_sub_row neg_subsample neg_bagging", []string{"1", "1.0"},
		"For two classes, as pos_bagging_fraction; use bagging_fraction."},
	{"linear_tree linear_trees", off, "Leaves are constants, which every export supports. " +
		"In LightGBM, linear_tree changes nDCG@10 by +.0015 ± .0058 in the mean of five sets (p = .6; " +
		"bench/quality/README.md has the figures and the command)."},
	{"linear_lambda", nil, "For linear_tree."},
	{"use_quantized_grad", off,
		"Gradients are always summed as integers here, with a rounding that costs no quality; leave it " +
			"out."},
	{"num_grad_quant_bins, quant_train_renew_leaf, stochastic_rounding", nil, "For use_quantized_grad."},

	// Columns of the data.
	{"save_binary is_save_binary is_save_binary_file", off,
		"The command bin stores binned data: lambdamart bin data=FILE."},
	{"parser_config_file", none,
		"Data is read as LETOR text, CSV, TSV or Parquet; convert it to one of these."},

	// Files and output.
	{"convert_model convert_model_file, convert_model_language", nil, "For task=convert_model."},
	{"pred_early_stop", off, "Scores would come from different numbers of trees: LightGBM stops at " +
		"a document as soon as twice the magnitude of its score reaches pred_early_stop_margin. Leave it " +
		"out; num_iteration_predict takes fewer trees for all."},
	{"pred_early_stop_freq, pred_early_stop_margin", nil, "For pred_early_stop."},

	// Other objectives and metrics.
	{"num_class num_classes", []string{"1"},
		"Grades are one number a document; classes are for classification."},
	{"is_unbalance unbalance unbalanced_sets", off,
		"Relevant documents have no weight of their own; give weights to rows (weight_column)."},
	{"scale_pos_weight", []string{"1", "1.0"},
		"Relevant documents have no weight of their own; give weights to rows (weight_column)."},
	{"reg_sqrt", off, "Labels are learned as they are; write their roots into the data."},
	{"alpha, fair_c, poisson_max_delta_step, tweedie_variance_power", nil, "For regression."},
	{"multi_error_top_k", nil, "For classification."},
	{"auc_mu_weights", nil, "For classification."},
}
