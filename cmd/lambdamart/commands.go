package main

import (
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/bench"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/bin"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/checkexport"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/curve"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cv"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/explain"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/export"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/judging"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/judgments"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/model"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/plan"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/predict"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/refit"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/selecting"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/serve"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/transform"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/tune"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/worker"
)

// program returns the program. Its table of commands is the only place that knows all of them; the
// documentation lists their parameters in its order.
func program() *cli.Program {
	return &cli.Program{
		Short: "LambdaMART: gradient-boosted trees for ranking",
		Long: `lambdamart trains gradient-boosted trees for ranking (LambdaMART) on LETOR text, CSV,
TSV and Parquet, scores documents, judges rankings and shows what is in a model. Its
models are LightGBM model files.

The parameter ranker makes train train a neural ranker instead, and bench compares
neural rankers with trees on your data.

Parameters have LightGBM's names and aliases. They are written as key=value or as
flags (num_leaves=63 or --num-leaves 63), and may be in a file that config=
names. Without the name of a command, the parameter task chooses it, as in LightGBM's
own command line: lambdamart config=train.conf`,
		Example: `  lambdamart train data=train.txt valid=vali.txt output_model=model.txt num_leaves=63 patience=50
  lambdamart eval data=test.txt input_model=model.txt
  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  lambdamart model model.txt
  lambdamart bench data=folds rankers=lambdamart,ranknet,listnet`,
		Commands: []cli.Command{
			train.Command(),
			bin.Command(),
			plan.Command(),
			refit.Command(),
			predict.Command(),
			judging.Eval(),
			judging.Compare(),
			cv.Command(),
			curve.Command(),
			tune.Command(),
			selecting.Command(),
			bench.Command(),
			explain.Command(),
			transform.Command(),
			judgments.Command(),
			model.Command(),
			export.Command(),
			checkexport.Command(),
			serve.Command(),
			version.Command(),
			worker.Command(program),
		},
	}
}
