#!/usr/bin/env bash
# Compares evaluation with Spark and scikit-learn on this machine:
#
#	bench/eval/run.sh                                   # everything: a quarter of an hour
#	bench/eval/run.sh --rows 100000 --queries 1000 --rounds 1    # a quick run
#	bench/eval/run.sh --help
#
# Needs Python 3.11 or newer and, for Spark, Java 17 or newer. Packages and data go to
# folders of their own in the user's cache folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/eval/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/timed
"$python" bench/eval/run.py "$@"
