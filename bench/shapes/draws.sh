#!/usr/bin/env bash
# Draws the data of bench/shapes and prints its folders; draws.py has the options.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./bench/mslrgen
PYTHONPATH=bench "$python" -m shapes.draws "$@"
