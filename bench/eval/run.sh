#!/usr/bin/env bash
# Compares evaluation with Spark and scikit-learn on this machine:
#
#	bench/eval/run.sh                                   # the whole: a quarter of an hour
#	bench/eval/run.sh --rows 100000 --queries 1000 --rounds 1    # a look at it
#	bench/eval/run.sh --help
#
# Needs Python 3.11 or newer and, for Spark, Java 17 or newer; packages and data go
# to folders of their own under the user's cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/eval/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/ndcg
"$python" bench/eval/run.py "$@"
