#!/usr/bin/env bash
# Compares ours with LightGBM and XGBoost on all shapes of data; README.md and run.py say how.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN LAMBDAMART_BINARY=$LAMBDAMART_BIN/lambdamart
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen
PYTHONPATH=bench:python "$python" -m shapes.run "$@"
