#!/usr/bin/env bash
# Prints nDCG@10 on test data against the costs of features (docs/trees.md): means over three draws of
# MSLR-shaped data. Usage: bench/feature_cost.sh [queries]
set -euo pipefail
cd "$(dirname "$0")/.."
queries=${1:-400}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work" ./cmd/lambdamart ./bench/mslrgen
for draw in 1 2 3; do
  "$work/mslrgen" -queries "$queries" -seed $draw >"$work/train$draw.txt"
  "$work/mslrgen" -queries "$queries" -seed 1$draw >"$work/test$draw.txt"
done
ones=$(python3 -c 'print(",".join(f"{f}:1" for f in range(1, 137)))')

row() { # a word and the parameters of a training run
  local word=$1 draw
  shift
  for draw in 1 2 3; do
    "$work/lambdamart" train data="$work/train$draw.txt" output_model="$work/m.txt" num_leaves=31 verbosity=0 "$@" 2>/dev/null
    local features nodes
    features=$(grep '^split_feature=' "$work/m.txt" | cut -d= -f2 | tr ' ' '\n' | sort -u | wc -l)
    nodes=$(grep '^split_feature=' "$work/m.txt" | wc -w)
    echo "$features $nodes $("$work/lambdamart" eval data="$work/test$draw.txt" input_model="$work/m.txt" metric=ndcg@10 2>/dev/null | grep -oE '0\.[0-9]+' | head -1)"
  done | awk -v word="$word" '{f += $1; n += $2; q += $3} END {printf "| %s | %.0f | %.0f | %.4f |\n", word, f / NR, n / NR, q / NR}'
}

echo "| costs | features | splits | nDCG@10 |"
echo "|---|---:|---:|---:|"
row none
for cost in 1 3 10 30 100; do row "coupled, $cost" cegb_penalty_feature_coupled="$ones" cegb_tradeoff=$cost; done
for cost in 0.0003 0.001 0.003; do row "lazy, $cost" cegb_penalty_feature_lazy="$ones" cegb_tradeoff=$cost; done
for cost in 0.0001 0.0003 0.001; do row "split, $cost" cegb_penalty_split=$cost; done
