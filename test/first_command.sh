#!/usr/bin/env bash
# Checks the first command of README.md as a new user runs it: in a fresh clone of this
# commit, without downloaded modules, build cache or data. Prints how long it took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
limit=3600 # seconds, against hanging

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone --quiet --no-hardlinks . "$scratch/clone"
cd "$scratch/clone"

# The first block of shell commands in README.md, without prompts.
command=$(awk '/^```/ { if (inside) exit; inside = /^```(sh|bash|console)$/; next } inside' README.md | sed 's/^\$ //')
if [[ -z $command ]]; then
	echo "README.md has no block of shell lines"
	exit 1
fi
echo "$command"

export GOMODCACHE=$scratch/modules GOCACHE=$scratch/build GOPATH=$scratch/go GOFLAGS=-modcacherw
unset LAMBDAMART_DATA
start=$SECONDS
timeout "$limit" bash -euo pipefail -c "$command" </dev/null
echo "$((SECONDS - start)) s"
