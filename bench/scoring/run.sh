#!/usr/bin/env bash
# Compares scoring with LightGBM, leaves, tl2cgen, ONNX Runtime and XGBoost on this
# machine, one thread each:
#
#	bench/scoring/run.sh                          # everything: half an hour the first time
#	bench/scoring/run.sh --queries 50 --rounds 1 --trees 20    # a quick run
#	bench/scoring/run.sh --help
#
# Needs Python 3.11 or newer and gcc. Packages, data and models go to folders of
# their own in the user's cache folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/scoring/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen ./bench/timed
"$python" bench/scoring/compare.py "$@"
