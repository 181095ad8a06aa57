#!/usr/bin/env bash
# Times the Python package beside LightGBM's and XGBoost's; README.md has results.
# Options are those of bench.py, such as --rounds 1 --queries 500.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${BENCH_FOLDER:-bench/cache/python}
mkdir -p "$folder"
go build -o "$folder/lambdamart" ./cmd/lambdamart
queries=$(sed -n 's/.*--queries \([0-9 ]*[0-9]\).*/\1/p' <<<"$*")
for n in ${queries:-1000 4000}; do
	[[ -e $folder/$n.txt ]] || go run ./bench/mslrgen -queries "$n" -seed 1 >"$folder/$n.txt"
done
python=$(python3 test/environment.py test/requirements.txt)
LAMBDAMART_BINARY=$(realpath "$folder/lambdamart") PYTHONPATH=python:bench "$python" bench/python/bench.py "$folder" "$@"
