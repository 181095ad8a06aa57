package main

import (
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/judging"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/models"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/studies"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/worker"
)

// program returns the program. Only its table of commands knows all of them. The documentation lists their
// parameters in its order.
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
			train.Bin(),
			train.Refit(),
			models.Calibrate(),
			models.Predict(),
			judging.Eval(),
			judging.Compare(),
			studies.CV(),
			studies.Curve(),
			studies.Tradeoff(),
			studies.Tune(),
			studies.Select(),
			studies.Bench(),
			models.Explain(),
			models.Transform(),
			models.Model(),
			models.Export(),
			models.CheckExport(),
			models.Serve(),
			version.Command(),
			worker.Command(program),
		},
	}
}
