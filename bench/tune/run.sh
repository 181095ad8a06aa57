#!/usr/bin/env bash
# Compares lambdamart with its defaults, with preset=auto and tuned, with LightGBM, XGBoost and CatBoost with
# their defaults and with LightGBM tuned by Optuna; bench/tune/README.md explains it:
#
#	bench/tune/run.sh FOLDER                       # writes the results to FOLDER
#	bench/tune/run.sh FOLDER --seeds 1 --trials 5  # a quick run
#
# Data: LAMBDAMART_DATA (default ../shared/data) with mq2008/, mslr-web30k-sample/ and lightgbm-lambdarank/. A
# comparison that was stopped goes on when it is started again.
set -euo pipefail
[[ $# -ge 1 ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2; }
mkdir -p "$1"
results=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=$(python3 test/environment.py bench/tune/requirements.txt)
go build -o "$results" ./cmd/lambdamart
"$python" bench/tune/run.py --results "$results" --data "${LAMBDAMART_DATA:-../shared/data}" "$@"
